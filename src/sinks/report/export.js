/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is shown as a Perfetto trace, to download or to open in its viewer.
 */

const PERFETTO = 'https://ui.perfetto.dev';
const PING_MS = 200, PING_LIMIT_MS = 20000;

function traceName() {
    const shown = shownEntries();
    const base = shown.length === 1 ? shown[0].name.replace(/\.[^.]*$/, '') : state.title;
    return `${base.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80) || 'trace'}.pb`;
}

const makeTrace = () => buildTrace(shownEntries().map(entry => entry.profile), state.version);

function download() {
    const link = make('a', {download: traceName(),
                            href: URL.createObjectURL(new Blob([makeTrace()]))});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* Asks the viewer until it answers, then hands the trace over. */
function openInPerfetto() {
    const viewer = window.open(PERFETTO);
    if (!viewer) {
        say('The browser did not open a new tab; allow it, or download the trace.');
        return;
    }
    say('Waiting for ui.perfetto.dev\u2026');
    const began = Date.now();
    const timer = setInterval(() => {
        if (Date.now() - began > PING_LIMIT_MS || viewer.closed) {
            stop();
            say('ui.perfetto.dev did not answer. Download the trace and open it there.');
            return;
        }
        viewer.postMessage('PING', '*'); /* no secret; the trace goes to that origin only */
    }, PING_MS);
    const answered = event => {
        if (event.source === viewer && event.origin === PERFETTO && event.data === 'PONG') {
            stop();
            const {buffer} = makeTrace();
            viewer.postMessage({perfetto: {buffer, title: state.title, fileName: traceName()}},
                               PERFETTO, [buffer]);
            say('');
        }
    };
    const stop = () => {
        clearInterval(timer);
        window.removeEventListener('message', answered);
    };
    window.addEventListener('message', answered);
}
