/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page itself: which profiles are shown, cards, tables, search, buttons. Whatever comes from an
 * input is put in with textContent, never as markup.
 */

const ROWS_AT_FIRST = 100, ROWS_MORE = 400;
const SHOWN_AT_FIRST = 3, SPANS_AT_FIRST = 3e6;
const ENGINES_MAX = 48;
const PERFETTO = 'https://ui.perfetto.dev';
const PING_MS = 200, PING_LIMIT_MS = 20000;

/* ---- state ---------------------------------------------------------------------------------- */

const state = {
    title: '', version: '',
    entries: [],      /* one per profile: element, name, facts, groups, profile while shown */
    skipped: [],
    tables: [],       /* about all profiles together: title, columns, rows */
    hiddenClasses: new Set(),
    query: '',
    ops: [],          /* of what is shown and not filtered out by class or view */
    rowLimit: ROWS_AT_FIRST,
};

let timeline, profileTable, processTable, operatorTable;

const shownEntries = () => state.entries.filter(entry => entry.isShown && entry.profile);
const isDrawn = name => !state.hiddenClasses.has(name);

/* Phases are counted when asked for, or when nothing else is left. */
function countsPhases() {
    return byId('with-phases').checked ||
        classNames().every(name => name === PHASE || state.hiddenClasses.has(name));
}

const counts = name => isDrawn(name) && (name !== PHASE || countsPhases());

function classNames() {
    return [...new Set(shownEntries().flatMap(entry => [...entry.classNames]))]
        .sort((a, b) => classOrder(a) - classOrder(b));
}

/* What the table of profiles and the cards need; the columns may go. */
function digest(entry, profile) {
    const part = profile.parts[0] || {name: '?', path: '', origin: ''};
    const fileName = part.path.split('/').pop();
    Object.assign(entry, {
        name: profile.parts.length > 1 && fileName !== '' ? fileName : part.name, path: part.path, origin: part.origin, spanCount: profile.spanCount,
        resolutionNs: profile.resolutionNs,
        isSketched: profile.ops.some(op => op.isSketched),
        sampleCount: profile.sampleCount, flowEndCount: profile.flowEndCount,
        processes: profile.processes, losses: profile.losses, lost: profile.losses.reduce((sum, loss) => sum + loss.count, 0),
        hasPhases: profile.hasPhases, partCount: profile.parts.length,
        classNames: new Set(profile.tracks.filter(track => track.count > 0)
            .map(track => track.class)),
        groups: profile.groups.map(({engines, ...facts}) => {
            const {name, format, generation, clock} = profile.parts[facts.part];
            return {...facts, entry, name, clock, format: [format, generation].join(' ').trim(),
                    engines: engines.map(({union, ...engine}) => engine)};
        }),
    });
}

/* What is worth a line of its own: groups with work, or the first one. */
function groupsOf(entry) {
    const found = entry.groups.filter(group => group.hasWork || group.metrics.length > 0);
    return found.length > 0 ? found : entry.groups.slice(0, 1);
}

const groupLabel = ({entry, name}) => (
    entry.partCount > 1 && name !== entry.label ? `${entry.label}: ${name}` : entry.label);

async function load(entry) {
    const profile = readProfile(await readBlob(entry.element));
    profile.groups = summarise(profile);
    if (!entry.groups) {
        digest(entry, profile);
    }
    entry.profile = entry.isShown ? profile : null;
}

/* Profiles of one name are told apart by their paths, then by number. */
function nameApart() {
    for (const [, same] of groupBy(state.entries.filter(entry => entry.groups),
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

function nameButton(group) {
    const {entry} = group;
    const button = make('button', {type: 'button', textContent: shortName(groupLabel(group)),
                                   title: `Show only ${visible(entry.path.slice(0, 500))}`});
    button.addEventListener('click', () => chooseOnly(entry));
    return button;
}

function classShare(group, name) {
    const found = group.classes.find(candidate => candidate.name === name);
    return found && group.spanNs > 0 ? found.busyNs / group.spanNs : 0;
}

function metricOf(group, name) {
    const found = group.metrics.find(metric => metric.name === name);
    return found ? found.ns : -1;
}

/* Columns of a table with a row for each group. */
function profileColumns(groups) {
    const classes = [...new Set(groups.flatMap(group => group.classes.map(c => c.name)))]
        .sort((a, b) => classOrder(a) - classOrder(b));
    const metrics = [...new Set(groups.flatMap(group => group.metrics.map(metric => metric.name)))];
    const number = (key, title, value, format, help) => (
        {key, title, value, isNumber: true, help, cell: group => format(value(group))});
    return [
        {key: 'shown', title: 'Show', cell: group => showBox(group.entry)},
        {key: 'name', title: 'Profile', value: groupLabel, className: 'name', cell: nameButton},
        {key: 'format', title: 'Format', value: group => group.format,
         cell: group => shortName(group.format)},
        {key: 'origin', title: 'Origin', value: group => group.origin, cell: group => group.origin},
        number('spans', 'Spans', group => group.spanCount, formatCount),
        number('span', 'Time span', group => group.extentNs, formatNs, 'First to last event'),
        ...(metrics.length > 0 ? [] : [
            number('busy', 'Busy', group => group.busyNs, formatNs,
                   'Time in which at least one track was busy'),
            number('idle', 'Idle', group => group.idleNs, formatNs),
        ]),
        ...metrics.map((name, i) => number(`metric${i}`, clip(name, 30),
            group => metricOf(group, name), ns => (ns < 0 ? '\u2013' : formatNs(ns)))),
        ...(metrics.length > 0 ? [] : classes).map(name => number(
            `class-${name}`, name, group => classShare(group, name), formatPercent,
            `Part of the time from first to last work in which a ${name} track was busy`)),
        number('lost', 'Lost', group => group.entry.lost, formatCount,
               'Records that could not be read'),
    ];
}

function drawProfiles() {
    const groups = state.entries.filter(entry => entry.groups).flatMap(groupsOf);
    byId('profiles').hidden = state.entries.length < 2 && groups.length < 2;
    const query = byId('profile-filter').value.trim().toLowerCase();
    const found = groups.filter(group => [group.entry.path, group.entry.name, group.name,
                                          group.format, group.origin].join(' ')
        .toLowerCase().includes(query));
    profileTable.setColumns(profileColumns(groups));
    profileTable.fill(profileTable.sorted(found), 'No profile fits the filter.');
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

function engineCard(group, engines) {
    const {spanNs, entry: {profile}} = group;
    const list = make('div', {className: 'engine-list'});
    for (const engine of engines.slice(0, ENGINES_MAX)) {
        const part = spanNs > 0 ? engine.busyNs / spanNs : 0;
        const name = visible(profile.texts.get(profile.tracks[engine.track].text).slice(0, 200));
        const line = bar('track-bar', part, classColour(engine.class, isDark()));
        list.append(make('div', {className: 'engine'},
            make('span', {textContent: name, title: name}), line,
            make('span', {className: 'number', textContent: spanNs > 0 ? formatPercent(part) : ''}),
            make('span', {className: 'number', textContent: formatNs(engine.busyNs)})));
    }
    const left = engines.length - ENGINES_MAX;
    return make('div', {className: 'card engines'},
                make('h3', {textContent: 'Utilisation by track'}), list,
                make('div', {className: 'sub', textContent: left > 0 ? `and ${left} more` : ''}));
}

function spanCard({entry, spanCount, phaseCount, trackCount}) {
    const facts = [`on ${trackCount} track${trackCount === 1 ? '' : 's'}`];
    if (phaseCount > 0) {
        facts.push(`${formatCount(phaseCount)} of them phases`);
    }
    if (entry.sampleCount > 0) {
        facts.push(`${formatCount(entry.sampleCount)} sample${entry.sampleCount === 1 ? '' : 's'}`);
    }
    if (entry.lost === 0) {
        facts.push('none lost');
    }
    return card('Spans', formatCount(spanCount), facts.join(', '), null);
}

/* Metrics that came with the profile say the same as ours, and know more: one of both is shown. */
function ownCards(group) {
    const part = ns => (group.spanNs > 0 ? ns / group.spanNs : 0);
    const cards = [
        card('Busy', formatNs(group.busyNs), `${formatPercent(part(group.busyNs))}, any track`,
             part(group.busyNs), 'var(--accent)'),
        card('Idle', formatNs(group.idleNs), `${formatPercent(part(group.idleNs))}, no track`,
             part(group.idleNs), 'var(--faint)'),
    ];
    for (const {name, busyNs, trackCount} of group.classes) {
        const tracks = trackCount === 1 ? '1 track' : `${trackCount} tracks`;
        cards.push(card(name, formatNs(busyNs), `${formatPercent(part(busyNs))}, ${tracks}`,
                        part(busyNs), classColour(name, isDark()), name));
    }
    return cards;
}

function cardsOf(group) {
    const {entry, metrics} = group;
    const cards = metrics.map(metric => card(
        clip(metric.name, 60), formatNs(metric.ns),
        metric.percent >= 0 ? formatPercent(metric.percent / 100) : '',
        metric.percent >= 0 ? metric.percent / 100 : null, 'var(--accent)'));
    cards.push(card('Time span', formatNs(group.extentNs), 'first to last event', null));
    if (metrics.length === 0 && group.hasWork) {
        cards.push(...ownCards(group));
    }
    cards.push(spanCard(group));
    if (entry.lost > 0) {
        cards.push(card('Lost', formatCount(entry.lost), 'records not read', null));
        cards[cards.length - 1].classList.add('warn');
    }
    const engines = group.engines.filter(
        engine => engine.spanCount > 0 && (!engine.isPhase || countsPhases()));
    if (engines.length > 1) {
        cards.push(engineCard(group, engines));
    }
    return cards;
}

function drawCards() {
    const groups = shownEntries().flatMap(
        entry => (countsPhases() ? entry.groups : groupsOf(entry)));
    byId('cards').replaceChildren(...groups.map(group => make('div', {className: 'profile'},
        make('h2', {}, make('span', {textContent: shortName(groupLabel(group))}),
             ...[group.origin, group.format, group.clock].filter(text => text !== '')
                 .map(text => make('span', {className: 'tag', textContent: shortName(text)}))),
        make('div', {className: 'cards'}, ...cardsOf(group)))));
}

/* ---- processes ------------------------------------------------------------------------------ */

/* What ran while a capture was made; of several captures one after the other. */
function drawProcesses() {
    const tables = shownEntries().map(entry => entry.processes)
        .filter(table => table.rows.length > 0);
    byId('processes').hidden = tables.length === 0;
    if (tables.length > 0) {
        const rows = tables.flatMap(table => table.rows);
        processTable.setColumns(tableColumns(tables[0].columns, rows));
        processTable.fill(processTable.sorted(rows), '');
    }
}

/* ---- search and filter ---------------------------------------------------------------------- */

/* Which sites and types of a profile the search finds; null when it is empty. */
function matchesOf(profile) {
    const plain = text => text.toLowerCase().replaceAll('"', ''); /* "net.mlir":24 is net.mlir:24 */
    const query = plain(state.query);
    if (query === '') {
        return null;
    }
    profile.lower = profile.lower || Array.from(
        {length: profile.texts.count}, (_, text) => plain(profile.texts.get(text)));
    const found = profile.lower.map(text => (text.includes(query) ? 1 : 0));
    return {
        sites: profile.siteOperator.map((text, site) => (
            found[text] || found[profile.siteText[site]] || found[profile.siteLocation[site]]
                ? 1 : 0)),
        types: Uint8Array.from([0, ...profile.types.map(text => found[text])]),
    };
}

/* The texts of operators of which the search finds a span. */
function operatorsOf(profile, {sites, types}) {
    const found = new Set(profile.siteOperator.filter((_, site) => sites[site]));
    profile.types.forEach((text, type) => types[type + 1] && found.add(text));
    for (const track of profile.tracks.filter(candidate => candidate.type)) {
        for (let i = 0; i < track.count; i++) {
            if (sites[track.site[i]]) {
                found.add(operatorOf(profile, track, i));
            }
        }
    }
    return found;
}

function drawClasses() {
    const chips = classNames().map(name => {
        const box = make('input', {type: 'checkbox', checked: !state.hiddenClasses.has(name),
                                   value: name});
        box.addEventListener('change', () => {
            if (box.checked) {
                state.hiddenClasses.delete(name);
            } else {
                state.hiddenClasses.add(name);
            }
            drawCards();
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
    for (const [profile, found] of matches) {
        state.foundTexts.set(profile, found && operatorsOf(profile, found));
    }
    timeline.highlight(state.query === '' ? null : matches);
    drawOps();
}

/* ---- operators ------------------------------------------------------------------------------ */

const nameOf = op => op.profile.texts.get(op.text);
const locationOf = op => (op.location < 0 ? '' : op.profile.texts.get(op.location));

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
        time('self', 'Self', 'Time in none of the operators inside'),
        {key: 'share', title: 'Share', isNumber: true, value: op => op.share,
         help: 'Part of the own time of all spans counted here, of the same profile and origin',
         cell: op => make('span', {}, bar('cell-bar', op.share),
                          make('span', {className: 'percent', textContent: formatPercent(op.share)}))},
        time('mean', 'Mean'), time('p50', 'p50', 'Half of the spans are at most this long'),
        time('p99', 'p99', '99 of 100 spans are at most this long'), time('min', 'Min'),
        time('max', 'Max'),
    ];
    const partOf = op => groupLabel({entry: op.entry, name: op.profile.parts[op.part].name});
    if (new Set(state.ops.map(op => op.origin)).size > 1) {
        columns.splice(2, 0, {key: 'origin', title: 'Origin', value: op => op.origin,
                              help: 'Never summed together', cell: op => op.origin});
    }
    if (shownEntries().length > 1 || shownEntries().some(entry => entry.partCount > 1)) {
        columns.splice(1, 0, {key: 'profile', title: 'Profile', className: 'name', value: partOf,
                              cell: op => shortName(partOf(op))});
    }
    if (state.ops.some(op => op.hasBytes)) {
        columns.push({key: 'bytes', title: 'Bytes', isNumber: true,
                      value: op => (op.hasBytes ? op.bytes : -1), help: 'Bytes moved',
                      cell: op => (op.hasBytes ? formatBytes(op.bytes) : '\u2013')});
    }
    if (state.ops.some(op => op.location >= 0)) {
        columns.push({key: 'location', title: 'Location', value: locationOf,
                      className: 'name place',
                      help: 'Where it comes from, if that is one place', cell: op => make('span', {
                          textContent: op.location < 0 ? '\u2013' : shortName(locationOf(op)),
                          title: visible(locationOf(op).slice(0, 1000))})});
    }
    return columns;
}

function computeOps() {
    const {from, to} = byId('in-view').checked ? timeline.view : {from: 0, to: Infinity};
    state.ops = shownEntries().flatMap(
        entry => summariseOps(entry.profile, counts, from, to).map(op => ({...op, entry})));
    operatorTable.setColumns(operatorColumns());
    drawOps();
}

/* Why there is no row. */
function nothingFound() {
    if (state.ops.length > 0) {
        return 'No operator fits the search.';
    }
    const entries = shownEntries();
    return entries.length === 0 ? 'No profile is shown.'
        : entries.every(entry => entry.spanCount === 0) ? 'The profile has no spans.'
        : byId('in-view').checked ? 'Nothing is counted in what the timeline shows.'
        : 'Nothing is counted: the tracks chosen have no operators.';
}

function drawOps() {
    const found = state.ops.filter(op => {
        const texts = state.query !== '' && state.foundTexts.get(op.profile);
        return !texts || texts.has(op.text);
    });
    const sorted = operatorTable.sorted(found);
    state.visibleOps = sorted;
    operatorTable.fill(sorted.slice(0, state.rowLimit), nothingFound());
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
    if (countOf(track, index) > 1) {
        facts.push(['Spans', `${formatCount(track.counts[index])}, drawn as one; busy for ` +
            formatNs(track.filled[index])]);
    }
    if (profile.siteLocation[site] >= 0) {
        facts.push(['Location', texts.get(profile.siteLocation[site])]);
    }
    const category = texts.get(profile.siteCategory[site]);
    if (category !== '') {
        facts.push(['Category', category]);
    }
    if (track.type && track.type[index] > 0) {
        facts.push(['Operator', texts.get(operatorOf(profile, track, index))]);
    }
    if ((track.flags[index] & FLAG_ORIGIN) !== 0) {
        facts.push(['Origin', originOf(profile, track, index)]);
    }
    if ((track.flags[index] & FLAG_UNENDED) !== 0) {
        facts.push(['Note', 'the input never said when it ended']);
    }
    return facts;
}

/* The names of a track and of the groups around it, the outermost first. */
function trackPath(profile, track) {
    const names = [];
    for (let at = track; at && at.parent >= 0; at = profile.tracks[at.parent]) {
        names.unshift(profile.texts.get(at.text));
    }
    return names;
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
    const isMany = shownEntries().length > 1;
    timeline.show(shownEntries().map(entry => ({
        profile: entry.profile,
        labels: entry.profile.parts.map(({name, origin}) => (
            `${visible(groupLabel({entry, name}).slice(0, 200))}  \u00b7  ${origin}` +
            (isMany ? '  \u00b7  own zero, not aligned' : ''))),
    })), isDrawn, counts, keepView);
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
    const rows = state.entries.filter(entry => entry.groups).flatMap(
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
    const done = state.entries.filter(entry => entry.groups);
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

/* What the page does not show one by one, and what holds nevertheless. */
function drawCoarse() {
    const coarse = state.entries.filter(entry => entry.resolutionNs > 0);
    byId('coarse').hidden = coarse.length === 0;
    byId('coarse').replaceChildren(...coarse.map(entry => make('p', {textContent:
        `${shortName(entry.label)} has ${formatCount(entry.spanCount)} spans, more than a page ` +
        `holds. The timeline draws neighbours shorter than ${formatNs(entry.resolutionNs)} as ` +
        'one. Metrics and operators are of all spans, whatever the timeline shows' +
        (entry.isSketched ? '; p50 and p99 are within 0.8 %' : '') +
        '. tacho convert writes a trace with everything.'})));
}

function drawAll() {
    nameApart();
    drawHead();
    drawCoarse();
    drawProfiles();
    drawCards();
    drawProcesses();
    drawClasses();
    byId('with-phases').parentElement.hidden = !shownEntries().some(entry => entry.hasPhases);
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
    byId('with-phases').addEventListener('change', () => {
        drawCards();
        showTimeline(true);
        computeOps();
    });
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
            state.entries.push({element, isShown: false, profile: null, groups: null});
            continue;
        }
        const reader = await readBlob(element);
        if (kind === 'table') {
            state.tables.push({title: reader.string(), ...readTable(reader)});
            continue;
        }
        const [first, second] = [reader.string(), reader.string()];
        if (kind === 'head') {
            [state.title, state.version] = [first, second];
        } else {
            state.skipped.push({path: first, reason: second});
        }
    }
    document.title = `${visible(state.title.slice(0, 200))} \u2013 tacho report`;
    byId('title').textContent = shortName(state.title);
    drawAgreement(state.tables);
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
         ([key, value]) => `${key === 'Name' ? '' : `${key}: `}${clip(value, 160)}`).join('\n'),
     describeTrack: (profile, track) => [...trackPath(profile, track),
         `${track.class}, ${formatCount(track.count)} ${track.isCounter ? 'samples' : 'spans'}`]
         .map(text => clip(text, 300)).join('\n')});
profileTable = new SortTable(byId('profile-table'), [], '', drawProfiles);
processTable = new SortTable(byId('process-table'), [], '', drawProcesses);
operatorTable = new SortTable(byId('operator-table'), [], 'self', drawOps);
listen();

/* For tests and for the curious. */
window.tachoReport = {state, timeline, makeTrace};

start().catch(error => {
    say(`The page could not be read: ${error.message}`);
    console.error(error);
});
