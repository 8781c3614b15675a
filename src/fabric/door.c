/* SPDX-License-Identifier: Apache-2.0 */
/* The door: who comes in, and has proven the secret. */
#include "provider.h"
