// SPDX-License-Identifier: Apache-2.0
#pragma once
// Needed for the functions that take object paths. They have not changed since 2012.
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>
