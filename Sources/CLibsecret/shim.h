#pragma once
// Items by their paths; the only part that is used of what may change, and has not since 2012.
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>
