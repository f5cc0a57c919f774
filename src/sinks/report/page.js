/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page itself: which profiles are shown, cards, tables, search, buttons. Whatever comes from an
 * input is put in with textContent, never as markup.
 */

const ROWS_AT_FIRST = 100, ROWS_MORE = 400;
const SHOWN_AT_FIRST = 3, SPANS_AT_FIRST = 3e6;
const NAME_LETTERS = 300, ENGINES_MAX = 48;
const PERFETTO = 'https://ui.perfetto.dev';
const PING_MS = 200, PING_LIMIT_MS = 20000;

const byId = id => document.getElementById(id);

/* ---- text ----------------------------------------------------------------------------------- */

/* Control and direction characters made visible, so that a name cannot disturb what is around it. */
function visible(text) {
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
                        letter => {
                            const code = letter.charCodeAt(0).toString(16);
                            return code.length > 2 ? `\\u${code.padStart(4, '0')}`
                                                   : `\\x${code.padStart(2, '0')}`;
                        });
}

/* At most |letters| letters of |text|. */
function clip(text, letters) {
    const shown = visible(text.slice(0, Math.max(1, Math.ceil(letters))));
    return text.length <= letters && shown.length <= letters
        ? shown : `${shown.slice(0, Math.max(1, Math.floor(letters) - 1))}\u2026`;
}

function shortName(text) {
    return text.length <= NAME_LETTERS
        ? visible(text) || '(no name)'
        : `${visible(text.slice(0, NAME_LETTERS))}\u2026 (${formatCount(text.length)} characters)`;
}

const TIME_UNITS = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]];

function formatNs(ns) {
    const [unit, size] = TIME_UNITS.find(([, least]) => Math.abs(ns) >= least) || TIME_UNITS[3];
    const digits = size === 1 ? (Number.isInteger(ns) ? 0 : 1) : 3;
    return `${(ns / size).toFixed(digits)} ${unit}`;
}

function formatTick(ns, step) {
    const [unit, size] = TIME_UNITS.find(([, least]) => ns >= least) || TIME_UNITS[3];
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)));
    return ns === 0 ? '0' : `${(ns / size).toFixed(digits)} ${unit}`;
}

const formatCount = count => count.toLocaleString('en-US');
const formatPercent = part => `${(100 * part).toFixed(1)} %`;

function formatBytes(bytes) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let at = 0;
    for (; bytes >= 1000 && at < units.length - 1; at++) {
        bytes /= 1000;
    }
    return `${at === 0 ? bytes : bytes.toFixed(2)} ${units[at]}`;
}

/* ---- elements ------------------------------------------------------------------------------- */

function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

function bar(className, part, colour) {
    const fill = make('i');
    fill.style.width = `${Math.min(100, Math.max(0, 100 * part))}%`;
    if (colour) {
        fill.style.background = colour;
    }
    return make('span', {className}, fill);
}

function isDark() {
    return getComputedStyle(document.documentElement).getPropertyValue('--scheme').trim() === 'dark';
}

function dot(name) {
    const element = make('span', {className: 'dot'});
    element.style.background = classColour(name, isDark());
    return element;
}

/*
 * A table that sorts by a click on a column. A column: key, title, value of a row, cell of a row
 * (a node or text), isNumber, help.
 */
class SortTable {
    constructor(table, columns, sortKey, onSort) {
        this.table = table;
        this.columns = columns;
        this.sortKey = sortKey;
        this.isDown = true;
        this.onSort = onSort;
        this.body = make('tbody');
    }

    setColumns(columns) {
        this.columns = columns;
        const row = make('tr', {}, ...columns.map(column => this.heading(column)));
        this.table.replaceChildren(make('thead', {}, row), this.body);
    }

    heading(column) {
        const cell = make('th', {scope: 'col', className: column.isNumber ? 'right' : '',
                                 title: column.help || ''});
        if (!column.value) {
            cell.append(make('span', {className: 'plain', textContent: column.title}));
            return cell;
        }
        const isMine = column.key === this.sortKey;
        const arrow = isMine ? (this.isDown ? ' \u25be' : ' \u25b4') : '';
        const button = make('button', {type: 'button', textContent: column.title + arrow});
        button.dataset.key = column.key;
        button.addEventListener('click', () => this.sortBy(column));
        if (isMine) {
            cell.setAttribute('aria-sort', this.isDown ? 'descending' : 'ascending');
        }
        cell.append(button);
        return cell;
    }

    sortBy(column) {
        this.isDown = column.key === this.sortKey ? !this.isDown : Boolean(column.isNumber);
        this.sortKey = column.key;
        this.setColumns(this.columns);
        this.onSort();
        this.table.querySelector(`button[data-key="${column.key}"]`).focus();
    }

    sorted(rows) {
        const column = this.columns.find(candidate => candidate.key === this.sortKey);
        if (!column) {
            return rows;
        }
        const sign = this.isDown ? -1 : 1;
        return rows.map(row => [column.value(row), row]).sort(([a], [b]) => {
            const order = column.isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0;
            return sign * order;
        }).map(([, row]) => row);
    }

    fill(rows) {
        this.body.replaceChildren(...rows.map(row => make('tr', {}, ...this.columns.map(column => {
            const classes = [column.isNumber ? 'right' : '', column.className || ''];
            const cell = make('td', {className: classes.join(' ').trim()});
            cell.append(column.cell(row));
            return cell;
        }))));
    }
}

/* ---- state ---------------------------------------------------------------------------------- */

const state = {
    title: '', version: '',
    entries: [],      /* one per profile: element, name, facts, summary, profile while shown */
    skipped: [],
    hiddenClasses: new Set(),
    query: '',
    ops: [],          /* of what is shown and not filtered out by class or view */
    rowLimit: ROWS_AT_FIRST,
};

let timeline, profileTable, operatorTable;

const shownEntries = () => state.entries.filter(entry => entry.isShown && entry.profile);
const accepts = track => !state.hiddenClasses.has(track.class);

/* What the table of profiles and the cards need; the columns may go. */
function digest(entry, profile) {
    const part = profile.parts[0] || {name: '?', path: '', format: '', origin: '', clock: ''};
    Object.assign(entry, {
        name: part.name, path: part.path, format: [part.format, part.generation].join(' ').trim(),
        origin: part.origin, clock: part.clock, spanCount: profile.spanCount,
        trackCount: profile.tracks.filter(track => track.count > 0 && track.laneOf < 0).length,
        sampleCount: profile.sampleCount, flowEndCount: profile.flowEndCount,
        losses: profile.losses, metrics: profile.metrics, summary: summarise(profile),
        classNames: new Set(profile.tracks.filter(track => track.count > 0)
            .map(track => track.class)),
    });
}

async function load(entry) {
    const profile = readProfile(await readBlob(entry.element));
    if (!entry.summary) {
        digest(entry, profile);
    }
    entry.profile = entry.isShown ? profile : null;
}

/* Profiles of one name are told apart by their paths, then by number. */
function nameApart() {
    for (const [, same] of groupBy(state.entries.filter(entry => entry.summary),
                                   entry => entry.name)) {
        const paths = new Set(same.map(entry => entry.path));
        same.forEach((entry, i) => {
            entry.label = same.length === 1 ? entry.name
                : paths.size === same.length ? entry.path : `${entry.name} #${i + 1}`;
        });
    }
}

/* ---- profiles ------------------------------------------------------------------------------- */

function showBox(entry) {
    const box = make('input', {type: 'checkbox', checked: entry.isShown});
    box.setAttribute('aria-label', `Show ${visible(entry.label)}`);
    box.addEventListener('change', () => choose(entry, box.checked));
    return box;
}

function nameButton(entry) {
    const button = make('button', {type: 'button', textContent: shortName(entry.label),
                                   title: `Show only ${visible(entry.path.slice(0, 500))}`});
    button.addEventListener('click', () => chooseOnly(entry));
    return button;
}

function classShare(entry, name) {
    const found = entry.summary.classes.find(candidate => candidate.name === name);
    return found && entry.summary.spanNs > 0 ? found.busyNs / entry.summary.spanNs : 0;
}

function metricOf(entry, name) {
    const found = entry.metrics.find(metric => metric.name === name);
    return found ? found.ns : -1;
}

function profileColumns() {
    const done = state.entries.filter(entry => entry.summary);
    const classes = [...new Set(done.flatMap(entry => entry.summary.classes.map(c => c.name)))]
        .sort((a, b) => classOrder(a) - classOrder(b));
    const metrics = [...new Set(done.flatMap(entry => entry.metrics.map(metric => metric.name)))];
    const number = (key, title, value, format, help) => (
        {key, title, value, isNumber: true, help, cell: entry => format(value(entry))});
    return [
        {key: 'shown', title: 'Show', cell: showBox},
        {key: 'name', title: 'Profile', value: entry => entry.label, className: 'name',
         cell: nameButton},
        {key: 'format', title: 'Format', value: entry => entry.format,
         cell: entry => shortName(entry.format)},
        {key: 'origin', title: 'Origin', value: entry => entry.origin, cell: entry => entry.origin},
        number('spans', 'Spans', entry => entry.spanCount, formatCount),
        number('span', 'Time span', entry => entry.summary.spanNs, formatNs),
        ...(metrics.length > 0 ? [] : [
            number('busy', 'Busy', entry => entry.summary.busyNs, formatNs,
                   'Time in which at least one track was busy'),
            number('idle', 'Idle', entry => entry.summary.idleNs, formatNs),
        ]),
        ...metrics.map((name, i) => number(`metric${i}`, clip(name, 30),
            entry => metricOf(entry, name), ns => (ns < 0 ? '\u2013' : formatNs(ns)))),
        ...(metrics.length > 0 ? [] : classes).map(name => number(`class-${name}`, name, entry => classShare(entry, name),
            formatPercent, `Part of the time span in which a ${name} track was busy`)),
        number('lost', 'Lost', entry => entry.summary.lost, formatCount,
               'Records that could not be read'),
    ];
}

function drawProfiles() {
    byId('profiles').hidden = state.entries.length < 2;
    const done = state.entries.filter(entry => entry.summary);
    const query = byId('profile-filter').value.trim().toLowerCase();
    const found = done.filter(entry => `${entry.path} ${entry.name} ${entry.format} ${entry.origin}`
        .toLowerCase().includes(query));
    profileTable.setColumns(profileColumns());
    profileTable.fill(profileTable.sorted(found));
}

async function choose(entry, isShown) {
    entry.isShown = isShown;
    if (isShown && !entry.profile) {
        await load(entry);
    }
    if (!isShown) {
        entry.profile = null;
    }
    drawAll();
}

async function chooseOnly(entry) {
    for (const other of state.entries) {
        other.isShown = other === entry;
        other.profile = other === entry ? other.profile : null;
    }
    await choose(entry, true);
}

/* ---- cards ---------------------------------------------------------------------------------- */

function card(title, value, sub, part, colour, name) {
    const heading = make('h3', {}, ...(name ? [dot(name)] : []), title);
    const element = make('div', {className: 'card'}, heading,
                         make('div', {className: 'value', textContent: value}));
    if (part !== null) {
        element.append(bar('track-bar', part, colour));
        element.lastChild.style.display = 'block';
    }
    element.append(make('div', {className: 'sub', textContent: sub}));
    return element;
}

function engineCard(entry) {
    const {summary, profile} = entry;
    const list = make('div', {className: 'engine-list'});
    for (const engine of summary.engines.slice(0, ENGINES_MAX)) {
        const part = summary.spanNs > 0 ? engine.busyNs / summary.spanNs : 0;
        const name = visible(profile.texts.get(profile.tracks[engine.track].text).slice(0, 200));
        const line = bar('track-bar', part, classColour(engine.class, isDark()));
        list.append(make('div', {className: 'engine'},
            make('span', {textContent: name, title: name}), line,
            make('span', {className: 'number', textContent: formatPercent(part)}),
            make('span', {className: 'number', textContent: formatNs(engine.busyNs)})));
    }
    const left = summary.engines.length - ENGINES_MAX;
    return make('div', {className: 'card engines'},
                make('h3', {textContent: 'Utilisation by track'}), list,
                make('div', {className: 'sub', textContent: left > 0 ? `and ${left} more` : ''}));
}

function cardsOf(entry) {
    const {summary} = entry;
    const part = ns => (summary.spanNs > 0 ? ns / summary.spanNs : 0);
    const accent = 'var(--accent)';
    const cards = entry.metrics.map(metric => card(
        clip(metric.name, 60), formatNs(metric.ns),
        metric.percent >= 0 ? formatPercent(metric.percent / 100) : '',
        metric.percent >= 0 ? metric.percent / 100 : null, accent));
    cards.push(card('Time span', formatNs(summary.spanNs), 'first to last event', null));
    /* Metrics that came with the profile say the same, and know more: only one of both is shown. */
    const own = cards.length > 1 ? [] : summary.classes;
    if (cards.length === 1) {
        cards.push(
            card('Busy', formatNs(summary.busyNs),
                 `${formatPercent(part(summary.busyNs))}, any track`, part(summary.busyNs), accent),
            card('Idle', formatNs(summary.idleNs),
                 `${formatPercent(part(summary.idleNs))}, no track`, part(summary.idleNs),
                 'var(--faint)'));
    }
    for (const item of own) {
        const tracks = item.trackCount === 1 ? '1 track' : `${item.trackCount} tracks`;
        cards.push(card(item.name, formatNs(item.busyNs), `${formatPercent(part(item.busyNs))}, ${tracks}`,
                        part(item.busyNs), classColour(item.name, isDark()), item.name));
    }
    const samples = entry.sampleCount > 0 ? `, ${formatCount(entry.sampleCount)} samples` : '';
    cards.push(card('Spans', formatCount(entry.spanCount),
                    `on ${entry.trackCount} track${entry.trackCount === 1 ? '' : 's'}${samples}` +
                    (summary.lost > 0 ? '' : ', none lost'), null));
    if (summary.lost > 0) {
        cards.push(card('Lost', formatCount(summary.lost), 'records not read', null));
        cards[cards.length - 1].classList.add('warn');
    }
    if (summary.engines.length > 1) {
        cards.push(engineCard(entry));
    }
    return cards;
}

function drawCards() {
    byId('cards').replaceChildren(...shownEntries().map(entry => make('div', {className: 'profile'},
        make('h2', {}, make('span', {textContent: shortName(entry.label)}),
             ...[entry.origin, entry.format, entry.clock].filter(text => text !== '')
                 .map(text => make('span', {className: 'tag', textContent: shortName(text)}))),
        make('div', {className: 'cards'}, ...cardsOf(entry)))));
}

/* ---- search and filter ---------------------------------------------------------------------- */

/* Which sites of a profile the search finds, by name or location; null when it is empty. */
function matchesOf(profile) {
    const plain = text => text.toLowerCase().replaceAll('"', ''); /* "net.mlir":24 is net.mlir:24 */
    const query = plain(state.query);
    if (query === '') {
        return null;
    }
    profile.lower = profile.lower || Array.from(
        {length: profile.texts.count}, (_, text) => plain(profile.texts.get(text)));
    const found = profile.lower.map(text => (text.includes(query) ? 1 : 0));
    return profile.siteText.map((text, site) => (
        found[text] || found[profile.siteLocation[site]] ? 1 : 0));
}

function drawClasses() {
    const names = [...new Set(shownEntries().flatMap(entry => [...entry.classNames]))]
        .sort((a, b) => classOrder(a) - classOrder(b));
    const chips = names.map(name => {
        const box = make('input', {type: 'checkbox', checked: !state.hiddenClasses.has(name),
                                   value: name});
        box.addEventListener('change', () => {
            if (box.checked) {
                state.hiddenClasses.delete(name);
            } else {
                state.hiddenClasses.add(name);
            }
            showTimeline(true);
            computeOps();
        });
        return make('label', {className: 'chip'}, box, dot(name), name);
    });
    byId('classes').replaceChildren(byId('classes').firstElementChild, ...chips);
}

function search(query) {
    state.query = query.trim();
    state.rowLimit = ROWS_AT_FIRST;
    const matches = new Map(shownEntries().map(
        entry => [entry.profile, matchesOf(entry.profile)]));
    state.foundTexts = new Map();
    for (const [profile, sites] of matches) {
        state.foundTexts.set(profile, sites && new Set(
            profile.siteText.filter((_, site) => sites[site])));
    }
    timeline.highlight(state.query === '' ? null : matches);
    drawOps();
}

/* ---- operators ------------------------------------------------------------------------------ */

const nameOf = op => op.profile.texts.get(op.text);

function operatorColumns() {
    const time = (key, title, help) => ({key, title, help, isNumber: true,
                                         value: op => op[key], cell: op => formatNs(op[key])});
    const columns = [
        {key: 'name', title: 'Operator', value: nameOf, className: 'name', cell: op => make('span', {
            textContent: shortName(nameOf(op)), title: visible(nameOf(op).slice(0, 1000))})},
        {key: 'class', title: 'Track class', value: op => op.class,
         cell: op => make('span', {className: 'class-cell'}, dot(op.class), op.class)},
        {key: 'count', title: 'Count', isNumber: true, value: op => op.count,
         cell: op => formatCount(op.count)},
        time('total', 'Total'),
        {key: 'share', title: 'Share', isNumber: true, value: op => op.share,
         help: 'Part of the time of all spans that the filters let through, of the same profile',
         cell: op => make('span', {}, bar('cell-bar', op.share),
                          make('span', {className: 'percent', textContent: formatPercent(op.share)}))},
        time('mean', 'Mean'), time('p50', 'p50', 'Half of the spans are at most this long'),
        time('p99', 'p99', '99 of 100 spans are at most this long'), time('min', 'Min'),
        time('max', 'Max'),
    ];
    if (shownEntries().length > 1) {
        columns.splice(1, 0, {key: 'profile', title: 'Profile', className: 'name',
                              value: op => op.entry.label, cell: op => shortName(op.entry.label)});
    }
    if (state.ops.some(op => op.bytes > 0)) {
        columns.push({key: 'bytes', title: 'Bytes', isNumber: true, value: op => op.bytes,
                      help: 'Bytes moved',
                      cell: op => (op.bytes > 0 ? formatBytes(op.bytes) : '\u2013')});
    }
    return columns;
}

function computeOps() {
    const {from, to} = byId('in-view').checked ? timeline.view : {from: 0, to: Infinity};
    state.ops = shownEntries().flatMap(entry => {
        const ops = summariseOps(entry.profile, accepts, from, to);
        const total = ops.reduce((sum, op) => sum + op.total, 0);
        for (const op of ops) {
            op.entry = entry;
            op.share = total > 0 ? op.total / total : 0;
        }
        return ops;
    });
    operatorTable.setColumns(operatorColumns());
    drawOps();
}

function drawOps() {
    const found = state.ops.filter(op => {
        const texts = state.query !== '' && state.foundTexts.get(op.profile);
        return !texts || texts.has(op.text);
    });
    const sorted = operatorTable.sorted(found);
    state.visibleOps = sorted;
    operatorTable.fill(sorted.slice(0, state.rowLimit));
    byId('operator-count').textContent = found.length === state.ops.length
        ? formatCount(found.length)
        : `${formatCount(found.length)} of ${formatCount(state.ops.length)}`;
    const left = sorted.length - state.rowLimit;
    byId('more').hidden = left <= 0;
    byId('more').textContent = `Show ${formatCount(Math.min(left, ROWS_MORE))} more of ${formatCount(left)}`;
}

/* ---- timeline ------------------------------------------------------------------------------- */

function spanFacts({row, at, profile}) {
    const {track} = row;
    const {texts} = profile;
    const site = row.site[at];
    const index = row.index ? row.index[at] : at;
    const start = row.start[at], length = row.end[at] - start;
    const facts = [['Name', texts.get(profile.siteText[site])],
                   ['Track', `${texts.get(track.text)} (${track.class})`],
                   ['Start', formatNs(start)], ['Duration', formatNs(length)]];
    if (track.countsCycles && track.nsNumerator >= track.nsDenominator) {
        /* A tick lasts a nanosecond or more, so that rounding can be undone. */
        const ticks = ns => Math.ceil(ns * track.nsDenominator / track.nsNumerator);
        facts.push(['Cycles', formatCount(ticks(row.end[at]) - ticks(start))]);
    }
    if (track.size && track.size[index] > 0) {
        const bytes = track.size[index] - 1;
        const rate = length > 0 ? `, ${(bytes / length).toFixed(2)} GB/s` : '';
        facts.push(['Bytes', `${formatCount(bytes)}${rate}`]);
    }
    if (profile.siteLocation[site] >= 0) {
        facts.push(['Location', texts.get(profile.siteLocation[site])]);
    }
    const category = texts.get(profile.siteCategory[site]);
    if (category !== '') {
        facts.push(['Category', category]);
    }
    if ((track.flags[index] & FLAG_UNENDED) !== 0) {
        facts.push(['Note', 'the input never said when it ended']);
    }
    return facts;
}

function drawDetails(span) {
    byId('details').replaceChildren(...(span ? [make('dl', {}, ...spanFacts(span).map(
        ([key, value]) => make('div', {}, make('dt', {textContent: key}),
                               make('dd', {textContent: shortName(value)}))))] : []));
}

function drawRange(view) {
    byId('range').textContent =
        `${formatNs(Math.round(view.from))} \u2013 ${formatNs(Math.round(view.to))} ` +
        `(${formatNs(Math.round(view.to - view.from))})`;
}

let viewTimer = 0;

function viewChanged(view) {
    drawRange(view);
    if (byId('in-view').checked) {
        clearTimeout(viewTimer);
        viewTimer = setTimeout(computeOps, 150);
    }
}

function showTimeline(keepView) {
    timeline.show(shownEntries().map(entry => ({
        profile: entry.profile,
        label: `${visible(entry.label.slice(0, 200))}  \u00b7  ${entry.origin}` +
            (shownEntries().length > 1 ? '  \u00b7  own zero, not aligned' : ''),
    })), accepts, keepView);
    if (state.query !== '') {
        search(state.query);
    }
    drawRange(timeline.view);
}

/* ---- the trace ------------------------------------------------------------------------------ */

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

/* ---- the whole ------------------------------------------------------------------------------ */

function say(text) {
    byId('status').textContent = text;
    byId('status').hidden = text === '';
}

function drawLosses() {
    const rows = state.entries.filter(entry => entry.summary).flatMap(
        entry => entry.losses.map(loss => [entry.label, `${formatCount(loss.count)} record` +
            `${loss.count === 1 ? '' : 's'}: ${loss.reason}` +
            (loss.line > 0 ? `, first at line ${loss.line}` : '') +
            (loss.example !== '' ? `: ${loss.example}` : '')]))
        .concat(state.skipped.map(({path, reason}) => [path, `skipped: ${reason}`]));
    byId('losses').hidden = rows.length === 0;
    byId('loss-table').replaceChildren(make('tbody', {}, ...rows.map(([name, what]) => make('tr', {},
        make('td', {className: 'name', textContent: shortName(name)}),
        make('td', {className: 'long', textContent: shortName(what)})))));
}

function drawHead() {
    const done = state.entries.filter(entry => entry.summary);
    const spans = done.reduce((sum, entry) => sum + entry.spanCount, 0);
    const skipped = state.skipped.length > 0 ? `, ${state.skipped.length} skipped` : '';
    byId('subtitle').textContent =
        `${state.entries.length} profile${state.entries.length === 1 ? '' : 's'}${skipped}, ` +
        `${formatCount(spans)} span${spans === 1 ? '' : 's'}`;
    const flows = done.some(entry => entry.flowEndCount > 0) ? ' Arrows are not on this page.' : '';
    byId('footer').textContent = `Made by tacho ${state.version}. Times count from the first event ` +
        `of each input. Arguments other than location and bytes are not on this page.${flows} ` +
        'tacho convert writes a trace with everything.';
}

function drawAll() {
    nameApart();
    drawHead();
    drawProfiles();
    drawCards();
    drawClasses();
    showTimeline(false);
    computeOps();
    drawLosses();
    const isEmpty = shownEntries().length === 0;
    byId('perfetto').disabled = isEmpty;
    byId('download').disabled = isEmpty;
}

function redrawColours() {
    drawCards();
    drawClasses();
    drawOps();
    timeline.drawNow();
}

function listen() {
    let searchTimer = 0;
    byId('search').addEventListener('input', event => {
        clearTimeout(searchTimer);
        searchTimer = setTimeout(() => search(event.target.value), 80);
    });
    byId('profile-filter').addEventListener('input', drawProfiles);
    byId('in-view').addEventListener('change', computeOps);
    byId('more').addEventListener('click', () => {
        state.rowLimit += ROWS_MORE;
        drawOps();
    });
    byId('download').addEventListener('click', download);
    byId('perfetto').addEventListener('click', openInPerfetto);
    byId('zoom-in').addEventListener('click', () => timeline.zoom(0.6));
    byId('zoom-out').addEventListener('click', () => timeline.zoom(1 / 0.6));
    byId('zoom-fit').addEventListener('click', () => timeline.fit());
    document.addEventListener('keydown', event => {
        const isTyping = event.target.matches && event.target.matches('input[type="search"]');
        if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            byId('search').focus();
        } else if (event.key === 'Escape' && isTyping && event.target.value !== '') {
            event.target.value = '';
            event.target.dispatchEvent(new Event('input'));
        }
    });
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawColours);
    /* Paper is light, whatever the screen is. */
    const setPaper = isPaper => {
        document.documentElement.classList.toggle('paper', isPaper);
        redrawColours();
    };
    window.addEventListener('beforeprint', () => setPaper(true));
    window.addEventListener('afterprint', () => setPaper(false));
}

async function readHead() {
    const elements = [...document.querySelectorAll('script[data-tacho]')];
    for (const element of elements) {
        const kind = element.dataset.tacho;
        if (kind === 'profile') {
            state.entries.push({element, isShown: false, profile: null, summary: null});
            continue;
        }
        const reader = await readBlob(element);
        const [first, second] = [reader.string(), reader.string()];
        if (kind === 'head') {
            [state.title, state.version] = [first, second];
        } else {
            state.skipped.push({path: first, reason: second});
        }
    }
    document.title = `${visible(state.title.slice(0, 200))} \u2013 tacho report`;
    byId('title').textContent = shortName(state.title);
}

/* Shows the first profiles, then reads the others for the table. */
async function start() {
    if (typeof DecompressionStream === 'undefined') {
        say('This browser is too old for the page: it lacks DecompressionStream.');
        return;
    }
    await readHead();
    const isFew = state.entries.length <= SHOWN_AT_FIRST;
    let spans = 0;
    for (const [i, entry] of state.entries.entries()) {
        entry.isShown = i === 0 || (isFew && spans < SPANS_AT_FIRST);
        await load(entry);
        spans += entry.spanCount;
        if (i === 0) {
            document.querySelector('main').hidden = false;
            say(state.entries.length > 1 ? 'Reading more profiles\u2026' : '');
            drawAll();
            state.readyMs = performance.now();
        }
    }
    if (state.entries.length > 1) {
        say('');
        drawAll();
    }
    state.isReady = true;
}

timeline = new Timeline(
    {overview: byId('overview'), scroll: byId('scroll'), space: byId('space'),
     canvas: byId('canvas'), tip: byId('tip')},
    {onView: viewChanged, onSelect: drawDetails,
     describe: span => spanFacts(span).map(
         ([key, value]) => `${key === 'Name' ? '' : `${key}: `}${clip(value, 160)}`).join('\n')});
profileTable = new SortTable(byId('profile-table'), [], '', drawProfiles);
operatorTable = new SortTable(byId('operator-table'), [], 'total', drawOps);
listen();

/* For tests and for the curious. */
window.tachoReport = {state, timeline, makeTrace};

start().catch(error => {
    say(`The page could not be read: ${error.message}`);
    console.error(error);
});
