// SPDX-License-Identifier: Apache-2.0
// A turn of the window, which collects garbage in time.
import System from 'system';

import {Turn} from '../shared/turn.js';

// GJS drops GLib callbacks during the sweep of an incremental garbage collection, and a dropped one would end the
// reading. So a full collection, which is not incremental, runs after this number of lines, before an incremental one
// begins by itself.
const LINES_PER_COLLECTION = 2000;
// In milliseconds.
const READING_TIME = 30;

/** Opens a turn: see `openTurn` of the service. */
export async function openTurn(service, target) {
    let lines = 0;
    const received = count => {
        lines += count;
        if (lines >= LINES_PER_COLLECTION) {
            System.gc();
            lines = 0;
        }
    };
    return new Turn(await service.openTurn(target), {cancellable: service.cancellable, readingTime: READING_TIME, received});
}
