// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

/* gnutls_free is a variable, which Swift does not read. */
static inline void chappie_gnutls_free(void *bytes) { gnutls_free(bytes); }
