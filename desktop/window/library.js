// SPDX-License-Identifier: Apache-2.0
// Optional JavaScript libraries of the distribution: single files that need no DOM, which Debian installs below
// share/javascript. Without them, answers are plain text, and the sign-in has no QR code.
import GLib from 'gi://GLib';

const find = path => [...GLib.get_system_data_dirs(), '/usr/share']
    .map(directory => GLib.build_filenamev([directory, 'javascript', path]))
    .find(file => GLib.file_test(file, GLib.FileTest.EXISTS));

/** marked, or null. Without a module loader it exports itself as a global variable. */
export const marked = await (async () => {
    const file = find('marked/marked.umd.js') ?? find('marked/marked.js');
    if (!file)
        return null;
    await import(GLib.filename_to_uri(file, null));
    return globalThis.marked ?? null;
})().catch(error => {
    console.warn(`marked: ${error.message}`);
    return null;
});

/** qrcode-generator, or null. It has no module exports, so it is loaded as a script. */
export const qrcode = (() => {
    const file = find('qrcode-generator/qrcode.js');
    if (!file)
        return null;
    imports.searchPath.unshift(GLib.path_get_dirname(file));
    try {
        return imports.qrcode.qrcode;
    } catch (error) {
        console.warn(`qrcode-generator: ${error.message}`);
        return null;
    } finally {
        imports.searchPath.shift();
    }
})();
