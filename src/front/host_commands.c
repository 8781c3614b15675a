/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that look at this host: doctor and topology. */
#include "host_commands.h"
