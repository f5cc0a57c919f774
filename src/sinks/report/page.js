/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page itself: which profiles are shown, what is selected, buttons. Whatever comes from an input
 * is put in with textContent, never as markup.
 */

const ROWS_AT_FIRST = 100, ROWS_MORE = 400;
const SHOWN_AT_FIRST = 3, SPANS_AT_FIRST = 3e6;

/* ---- state ---------------------------------------------------------------------------------- */

const state = {
    title: '', version: '',
    entries: [],      /* one per profile: element, name, facts, groups, profile while shown */
    skipped: [],
    tables: [],       /* about all profiles together: title, columns, rows */
    hiddenClasses: new Set(),
    query: '',
    ops: [],          /* of what is shown and not filtered out by class or view */
    side: 0,          /* of the operators that are listed: SIDES */
    layersOpen: new Map(), /* by path, where a person opened or closed one */
    allBars: false, allFindings: false,
    isCompared: true, /* of two profiles, operators are listed side by side */
    step: null,       /* of two profiles: the pair of steps that they are aligned at */
    fleet: null,      /* what is known of all ranks, on a page of a fleet (ranks.js) */
    rowLimit: ROWS_AT_FIRST,
};

let timeline, profileTable, processTable, operatorTable, pairedTable;

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

/* Spans whose end the input never said. */
function countUnended(profile) {
    return profile.tracks.filter(track => track.hasFlags && !track.isCounter).reduce(
        (sum, track) => sum + track.flags.reduce(
            (count, flags) => count + ((flags & FLAG_UNENDED) !== 0 ? 1 : 0), 0), 0);
}

/* What the page needs of a profile that is not shown; the columns may go. */
function digest(entry, profile) {
    const part = profile.parts[0] || {name: '?', path: '', origin: ''};
    const fileName = part.path.split('/').pop();
    Object.assign(entry, {
        name: profile.parts.length > 1 && fileName !== '' ? fileName : part.name, path: part.path, origin: part.origin, spanCount: profile.spanCount,
        resolutionNs: profile.resolutionNs,
        isSketched: profile.ops.some(op => op.isSketched),
        sampleCount: profile.sampleCount, flowEndCount: profile.flowEndCount,
        tables: profile.tables, unendedCount: countUnended(profile),
        losses: profile.losses, lost: profile.losses.reduce((sum, loss) => sum + loss.count, 0),
        hasPhases: profile.hasPhases, partCount: profile.parts.length,
        classNames: new Set(profile.tracks.filter(track => track.count > 0)
            .map(track => track.class)),
        groups: profile.groups.map(({engines, hostUnion, ...facts}) => {
            const {name, format, generation, clock} = profile.parts[facts.part];
            return {...facts, hostStep: hostInSteps(profile, {...facts, hostUnion}), entry, name,
                    clock, format: [format, generation].join(' ').trim(),
                    engines: engines.map(({union, ...engine}) => engine)};
        }),
    });
}

/* What is worth a line of its own: groups with work, or the first one. */
function groupsOf(entry) {
    const found = entry.groups.filter(group => group.hasWork || group.metrics.length > 0);
    return found.length > 0 ? found : entry.groups.slice(0, 1);
}

/* What a part is called; where there is one file, its name goes without saying. */
const groupLabel = ({entry, name}) => (
    entry.partCount === 1 || name === entry.label ? entry.label
        : state.entries.length === 1 ? name : `${entry.label}: ${name}`);

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
            const rank = state.fleet && state.fleet.ranks.find(({path}) => path === entry.path);
            entry.label = rank ? rankLabel(rank) : same.length === 1 ? entry.name
                : paths.size === same.length ? entry.path : `${entry.name} #${i + 1}`;
        });
    }
}

/* ---- processes ------------------------------------------------------------------------------ */

/* What ran while a capture was made; of several captures one after the other. */
function drawProcesses() {
    const tables = shownEntries().map(entry => entry.tables.get('processes')).filter(Boolean);
    byId('processes').hidden = tables.length === 0;
    if (tables.length > 0) {
        const rows = tables.flatMap(table => table.rows);
        processTable.setColumns(tableColumns(tables[0].columns, rows));
        processTable.fill(processTable.sorted(rows), '');
    }
}

/* ---- search and filter ---------------------------------------------------------------------- */

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
            showTimeline(true);
            showSelection();
        });
        return make('label', {className: 'chip'}, box, dot(name), name);
    });
    byId('classes').replaceChildren(byId('classes').firstElementChild, ...chips);
}

/* Changes the selection, and shows what that means. */
function choose(change) {
    Object.assign(selection, change);
    state.query = selection.query;
    state.rowLimit = ROWS_AT_FIRST;
    showSelection();
    const {query, ...rows} = change;
    if (Object.keys(rows).length > 0) {
        zoomToSelection();
    }
    writeFragment();
}

function showSelection() {
    timeline.highlight(hasSelection() ? new Map(shownEntries().map(
        entry => [entry.profile, filterOf(entry.profile)])) : null);
    drawChosen();
    drawLayers();
    computeOps();
    drawCompare();
    drawHistogram();
    drawRoofline();
}

/* The timeline shows from the first to the last selected span, or everything. */
function zoomToSelection() {
    let from = Infinity, to = -Infinity;
    for (const {kind, row, profile} of timeline.items) {
        const total = kind === 'row' && row.matches ? row.matches[row.site.length] : 0;
        if (total > 0) {
            const first = firstAtLeast(row.matches, 1) - 1;
            const last = firstAtLeast(row.matches, total) - 1;
            from = Math.min(from, row.start[first] + shiftOf(profile));
            to = Math.max(to, row.end[last] + shiftOf(profile));
        }
    }
    if (from < to) {
        const room = (to - from) / 40;
        timeline.setView(from - room, to + room);
    } else {
        timeline.fit();
    }
}

/* What is selected, each with a button that drops it. */
function drawChosen() {
    const chips = [['layer', selection.layer], ['operator', selection.operator?.name ?? null]]
        .filter(([, text]) => text !== null).map(([key, text]) => {
            const button = make('button', {type: 'button', className: 'chosen', textContent:
                `${key}: ${clip(text, 60)} \u00d7`, title: visible(text.slice(0, 1000))});
            button.setAttribute('aria-label', `Drop the ${key} ${clip(text, 60)}`);
            button.addEventListener('click', () => choose({[key]: null}));
            return button;
        });
    byId('chosen').replaceChildren(...chips);
    const field = byId('search');
    if (document.activeElement !== field) {
        field.value = selection.query;
    }
}

let fragmentTimer = 0;

/* The address keeps what is seen; browsers may not allow that everywhere. */
function writeFragment() {
    clearTimeout(fragmentTimer);
    fragmentTimer = setTimeout(() => {
        const {view, full} = timeline;
        const words = fragmentOf(view, view.from === full.from && view.to === full.to);
        try {
            history.replaceState(null, '', `#${words}`);
        } catch {
            /* a page inside another one: there is no address to keep it in */
        }
    }, 120);
}

/* The timeline shows what the address asks for. */
function followView() {
    if (state.linkedView) {
        timeline.setView(state.linkedView.from, state.linkedView.to);
    }
}

/* ---- timeline ------------------------------------------------------------------------------- */

/* The names of a track and of the groups around it, the outermost first. */
function trackPath(profile, track) {
    const names = [];
    for (let at = track; at && at.parent >= 0; at = profile.tracks[at.parent]) {
        names.unshift(profile.texts.get(at.text));
    }
    return names;
}

function drawRange(view) {
    byId('range').textContent =
        `${formatNs(Math.round(view.from - timeline.origin))} \u2013 ` +
        `${formatNs(Math.round(view.to - timeline.origin))} ` +
        `(${formatNs(Math.round(view.to - view.from))})`;
    drawSteps();
}

let viewTimer = 0;

function viewChanged(view) {
    drawRange(view);
    writeFragment();
    if (byId('in-view').checked) {
        clearTimeout(viewTimer);
        viewTimer = setTimeout(computeOps, 150);
    }
}

function showTimeline(keepView) {
    const isMany = shownEntries().length > 1;
    alignProfiles();
    timeline.show(shownEntries().map(entry => ({
        profile: entry.profile,
        labels: entry.profile.parts.map(({name, origin}) => (
            `${letterOf(entry) ? `${letterOf(entry)}:  ` : ''}` +
            `${visible(groupLabel({entry, name}).slice(0, 200))}  \u00b7  ${origin}` +
            (isMany ? `  \u00b7  ${zeroOf(entry)}` : ''))),
    })), isDrawn, counts, keepView);
    drawRange(timeline.view);
}

/* ---- the whole ------------------------------------------------------------------------------ */

function say(text) {
    byId('status').textContent = text;
    byId('status').hidden = text === '';
}

/* What the profile is, in one line. */
function drawHead() {
    const done = state.entries.filter(entry => entry.groups);
    const isBare = state.fleet && state.entries.length === 0; /* profiles are in other pages */
    const spans = isBare ? state.fleet.ranks.reduce((sum, rank) => sum + rank.count, 0)
        : done.reduce((sum, entry) => sum + entry.spanCount, 0);
    const lost = done.reduce((sum, entry) => sum + entry.lost, 0);
    const one = done.length === 1 ? groupsOf(done[0]) : [];
    const words = [
        ...(state.entries.length > 1 ? [`${state.entries.length} profiles`] : []),
        ...(state.skipped.length > 0 ? [`${state.skipped.length} skipped`] : []),
        ...(one.length > 0 ? [one[0].format, [...new Set(one.map(group => group.origin))].join(', '),
                              one[0].clock.includes('Hz') ? one[0].clock : '',
                              formatNs(one[0].extentNs)] : []),
        `${formatCount(spans)} span${spans === 1 ? '' : 's'}`,
        isBare ? '' : lost === 0 ? 'nothing lost' : `${formatCount(lost)} record${lost === 1 ? '' : 's'} lost`,
    ].filter(text => text !== '');
    if (isPair() && state.title === 'Profiles') { /* none was given */
        byId('title').textContent = pairEntries().map(entry => shortName(entry.label)).join(' and ');
    }
    byId('subtitle').replaceChildren(...words.map((text, i) => make('span', {
        className: lost > 0 && i === words.length - 1 ? 'bad' : '', textContent: shortName(text)})));
    byId('footer').textContent = `Made by tacho ${state.version}. Times count from the first event ` +
        'of each input. The page has only some of the arguments of spans; tacho convert writes ' +
        'a trace with everything.';
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
    drawVerdicts();
    drawBars();
    drawFindings();
    drawProfiles();
    drawProcesses();
    drawClasses();
    byId('with-phases').parentElement.hidden = !shownEntries().some(entry => entry.hasPhases);
    showTimeline(false);
    showSelection();
    drawPanels();
    document.querySelector('main').classList.toggle('paired', isPair());
    document.querySelector('main').classList.toggle('single', state.entries.length === 1);
    const isEmpty = shownEntries().length === 0;
    byId('perfetto').disabled = isEmpty;
    byId('download').disabled = isEmpty;
}

function redrawColours() {
    if (state.fleet && state.fleet.modes.length > 0) {
        state.heatMap.draw();
    }
    drawBars();
    drawClasses();
    drawOps();
    timeline.drawNow();
}

function listen() {
    let searchTimer = 0;
    byId('search').addEventListener('input', event => {
        clearTimeout(searchTimer);
        searchTimer = setTimeout(() => choose({query: event.target.value.trim()}), 80);
    });
    byId('profile-filter').addEventListener('input', drawProfiles);
    byId('in-view').addEventListener('change', computeOps);
    byId('with-phases').addEventListener('change', () => {
        showTimeline(true);
        showSelection();
    });
    byId('more-bars').addEventListener('click', () => {
        state.allBars = !state.allBars;
        drawBars();
    });
    byId('more-findings').addEventListener('click', () => {
        state.allFindings = !state.allFindings;
        drawFindings();
    });
    byId('more').addEventListener('click', () => {
        state.rowLimit += ROWS_MORE;
        drawOps();
        drawCompare();
    });
    byId('download').addEventListener('click', download);
    byId('perfetto').addEventListener('click', openInPerfetto);
    byId('step-back').addEventListener('click', () => goStep(-1));
    byId('step-on').addEventListener('click', () => goStep(1));
    byId('step-list').addEventListener('change', pickStep);
    byId('zoom-in').addEventListener('click', () => timeline.zoom(0.6));
    byId('zoom-out').addEventListener('click', () => timeline.zoom(1 / 0.6));
    byId('zoom-fit').addEventListener('click', () => timeline.fit());
    document.addEventListener('keydown', event => {
        const isTyping = event.target.matches && event.target.matches('input[type="search"]');
        if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            byId('search').focus();
        } else if ((event.key === '[' || event.key === ']') && !isTyping) {
            goStep(event.key === '[' ? -1 : 1);
        } else if (event.key === 'Escape' && isTyping && event.target.value !== '') {
            event.target.value = '';
            event.target.dispatchEvent(new Event('input'));
        }
    });
    window.addEventListener('resize', fitLabels);
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
            state.tables.push(readTable(reader));
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
    startRanks();
    drawAgreement(state.tables.filter(({name}) => FIT_TABLES.includes(name)));
}

/* Shows the first profiles, then reads the others for the table. */
async function start() {
    if (typeof DecompressionStream === 'undefined') {
        say('This browser is too old for the page: it lacks DecompressionStream.');
        return;
    }
    await readHead();
    if (state.entries.length === 0) { /* a fleet whose profiles are in pages of their own */
        document.querySelector('main').hidden = false;
        document.querySelector('main').classList.add('bare');
        document.querySelectorAll('.actions button').forEach(button => {
            button.hidden = true;
        });
        drawHead();
        state.heatMap.resize();
        say('');
    }
    state.linkedView = readFragment(location.hash);
    state.query = selection.query;
    const isFew = state.entries.length <= SHOWN_AT_FIRST;
    let spans = 0;
    for (const [i, entry] of state.entries.entries()) {
        entry.isShown = i === 0 || (isFew && spans < SPANS_AT_FIRST);
        await load(entry);
        spans += entry.spanCount;
        if (i === 0) {
            document.querySelector('main').hidden = false;
            if (state.fleet) {
                state.heatMap.resize();
            }
            say(state.entries.length > 1 ? 'Reading more profiles\u2026' : '');
            drawAll();
            followView();
            state.readyMs = performance.now();
        }
    }
    if (state.entries.length > 1) {
        say('');
        drawAll();
        followView();
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
pairedTable = new SortTable(byId('pair-table'), [], 'difference_ns', drawPairOps);
listen();

/* For tests and for the curious. */
window.tachoReport = {state, timeline, makeTrace};

start().catch(error => {
    say(`The page could not be read: ${error.message}`);
    console.error(error);
});
