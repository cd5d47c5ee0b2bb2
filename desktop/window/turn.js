// SPDX-License-Identifier: Apache-2.0
// A turn whose reading comes before drawing: where a frame takes long, the next one is due at its end, and drawing
// would leave no time for reading. A fast answer pauses in turn, so that it is drawn before its end.
import GLib from 'gi://GLib';
import System from 'system';

import {Turn} from '../shared/turn.js';

// GJS drops GLib callbacks during the sweep of an incremental garbage collection, and a dropped one would end the
// reading. So a full collection, which is not incremental, runs after this number of lines, before an incremental one
// begins by itself.
const LINES_PER_COLLECTION = 2000;
// In milliseconds.
const READING_TIME = 30;
const DRAWING_TIME = 10;

const sleep = milliseconds => new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
    resolve();
    return GLib.SOURCE_REMOVE;
}));

/** Opens a turn: see `openTurn` of the service. */
export async function openTurn(service, target) {
    let began = GLib.get_monotonic_time();
    let lines = 0;
    const pause = async count => {
        lines += count;
        if (lines >= LINES_PER_COLLECTION) {
            System.gc();
            lines = 0;
        }
        if (GLib.get_monotonic_time() - began > READING_TIME * 1000) {
            await sleep(DRAWING_TIME);
            began = GLib.get_monotonic_time();
        }
    };
    return new Turn(await service.openTurn(target), {cancellable: service.cancellable, pause});
}
