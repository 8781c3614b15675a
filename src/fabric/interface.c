/* SPDX-License-Identifier: Apache-2.0 */
/* Which of this host's network devices others reach it by. */
#include "provider.h"
