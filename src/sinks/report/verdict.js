/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The top of the page: one sentence on what limits each device, the bars that show it, and what to
 * do about it, the largest gain first. All of it is what 'tacho breakdown' says.
 */

const FINDINGS_AT_FIRST = 3, BARS_AT_FIRST = 6;

const tableOf = (entry, name) => rowObjects(entry.tables.get(name));

/* ---- the sentence --------------------------------------------------------------------------- */

/* "Host-bound: the GPU is idle ...; merging launches ... can give up to 9.8x." in its parts. */
function splitVerdict(text) {
    const colon = text.indexOf(': ');
    const limit = colon > 0 ? text.slice(0, colon) : '';
    const [what, ...rest] = (colon > 0 ? text.slice(colon + 2) : text).split('; ');
    const sentence = part => `${part.charAt(0).toUpperCase()}${part.slice(1)}`.replace(/\.?$/, '.');
    return {limit, what: sentence(what), advice: rest.length > 0 ? sentence(rest.join('; ')) : ''};
}

const isSameDevice = (a, b) => a.file === b.file && a.device === b.device && a.origin === b.origin;

/* Times of steps add up; people think of one. */
function averaged(row, count) {
    return Object.fromEntries(Object.entries(row).map(
        ([key, value]) => [key, key.endsWith('_ns') ? value / count : value]));
}

/*
 * What a device did, and in what: in a step or an inference on average where its work is in such,
 * as the verdict has it; else from its first start to its last end. Null where there is no such device.
 */
function timesOf(entry, who) {
    const find = name => tableOf(entry, name).find(
        row => isSameDevice(row, who) && !(row.stream && name === 'idle'));
    const [device, steady] = [find('devices'), find('steady')];
    return steady ? {times: averaged(steady, steady.step_count), causes: averaged(
        steady, steady.step_count), of: steady.period, stepCount: steady.step_count}
        : device ? {times: device, causes: find('idle'), of: 'the span', stepCount: 0} : null;
}

/* What the sentence rests on, as pairs of words and numbers. */
function reasonsOf(entry, verdict) {
    const known = timesOf(entry, verdict);
    const launches = tableOf(entry, 'launches').filter(row => isSameDevice(row, verdict));
    const facts = [];
    if (known) {
        const {times, causes, of, stepCount} = known;
        const share = ns => `${formatNs(ns)}, ${formatPercent(ns / times.span_ns)} of ${of}`;
        facts.push(stepCount > 0
            ? [of.charAt(0).toUpperCase() + of.slice(1),
               `${formatNs(times.span_ns)}, average of ${formatCount(stepCount)}`]
            : ['Span', `${formatNs(times.span_ns)}, first start to last end`],
                   ['Compute', share(times.compute_ns)],
                   ['Exposed communication', share(times.exposed_communication_ns)],
                   ['Exposed copies', share(times.exposed_copy_ns)],
                   ['Idle', share(times.idle_ns)],
                   ...IDLE_CAUSES.filter(({name}) => causes && causes[name] > 0).map(
                       ({name, title}) => [`Idle, ${title}`, share(causes[name])]));
    }
    for (const row of launches) {
        facts.push([`Launches on ${visible(row.stream)}`, `${formatCount(row.launch_count)}, ` +
            `${formatNs(row.p50_ns)} from call to start (median); ` +
            `${formatCount(row.short_count)} shorter than their call`]);
    }
    return facts;
}

function factList(facts) {
    return make('dl', {className: 'facts'}, ...facts.map(([key, value]) => make(
        'div', {}, make('dt', {textContent: key}), make('dd', {textContent: value}))));
}

function evidenceButton(entry, start, name) {
    const button = make('button', {type: 'button', className: 'link', textContent: 'evidence'});
    button.setAttribute('aria-label', `Show the evidence of ${name} in the timeline`);
    button.addEventListener('click', () => showEvidence(entry, start));
    return button;
}

/* A button that opens what lies behind it. */
function whyButton(box) {
    const button = make('button', {type: 'button', className: 'link', textContent: 'why'});
    button.setAttribute('aria-expanded', 'false');
    button.addEventListener('click', () => {
        box.hidden = !box.hidden;
        button.setAttribute('aria-expanded', String(!box.hidden));
    });
    return button;
}

function verdictElement(entry, verdict, isAlone) {
    const {limit, what, advice} = splitVerdict(asSaid(verdict.verdict));
    const finding = tableOf(entry, 'advice').find(
        row => isSameDevice(row, verdict) && row.start_ns !== null);
    const box = make('div', {className: 'why', hidden: true}, factList(reasonsOf(entry, verdict)));
    const whose = [state.entries.length > 1 ? entryName(entry) : '', isAlone ? '' : verdict.device]
        .filter(text => text).map(shortName).join(': ');
    const links = make('span', {className: 'links'}, whyButton(box),
        ...(finding ? [evidenceButton(entry, finding.start_ns, finding.rule)] : []));
    return make('div', {className: 'verdict'},
        ...(whose ? [make('p', {className: 'whose faint', textContent: whose})] : []),
        make('p', {className: 'headline'},
             ...(limit ? [make('strong', {textContent: `${limit}.`}), ' '] : []), what,
             ...(advice === '' ? [links] : [])),
        ...(advice === '' ? [] : [make('p', {className: 'try'}, advice, links)]), box);
}

/* "A: before.json" where two are compared. */
const entryName = entry => (letterOf(entry) ? `${letterOf(entry)}: ${entry.label}` : entry.label);

/* What is said where rules keep silent. */
function silence(entry) {
    const note = tableOf(entry, 'notes').map(row => row.note)[0];
    const devices = tableOf(entry, 'devices');
    const busiest = devices.reduce((a, b) => (a && a.busy_ns >= b.busy_ns ? a : b), null);
    const what = entry.spanCount === 0 ? 'The profile has no spans.'
        : busiest ? `No verdict: ${busiest.device ? shortName(busiest.device) : 'the device'} ` +
            `is busy ${formatPercent(busiest.busy_ns / busiest.span_ns)} of ` +
            `${formatNs(busiest.span_ns)}.`
        : 'There is no work of a device in this profile: only the host is shown.';
    return make('div', {className: 'verdict'},
        ...(state.entries.length > 1
            ? [make('p', {className: 'whose faint', textContent: shortName(entryName(entry))})] : []),
        make('p', {className: 'headline', textContent: what}),
        ...(note && busiest ? [make('p', {className: 'try', textContent:
            `${shortName(`${note.charAt(0).toUpperCase()}${note.slice(1)}`)}.`})] : []));
}

function drawVerdicts() {
    byId('verdicts').replaceChildren(...shownEntries().flatMap(entry => {
        const verdicts = tableOf(entry, 'verdict');
        return verdicts.length === 0 ? [silence(entry)]
            : verdicts.slice(0, 4).map(row => verdictElement(entry, row, verdicts.length === 1));
    }));
}

/* ---- bars ----------------------------------------------------------------------------------- */

const IDLE_CAUSES = [
    {name: 'host_late_ns', title: 'host late', help: 'the launch came after the device was free'},
    {name: 'dependency_ns', title: 'dependency', help: 'it waited for other work'},
    {name: 'queue_empty_ns', title: 'queue empty', help: 'nothing had been launched'},
    {name: 'queued_ns', title: 'queued', help: 'work was in its queue'},
    {name: 'unknown_ns', title: 'unknown', help: 'the profile does not say why'},
];

/* What a device or stream did, in parts that add up to its span. */
function segmentsOf(times, idle) {
    const exposed = times.stream ? '' : 'exposed ';
    const work = [['compute', 'compute', times.compute_ns],
                  ['communication', `${exposed}communication`, times.exposed_communication_ns],
                  ['copy', `${exposed}copies`, times.exposed_copy_ns]]
        .map(([name, title, ns]) => ({name, title, ns, isIdle: false}));
    /* Before its first work and after its last no cause is known. */
    const rest = idle ? times.idle_ns - IDLE_CAUSES.reduce((sum, {name}) => sum + idle[name], 0)
        : times.idle_ns;
    const causes = IDLE_CAUSES.map(({name, title}, i) => ({
        name: `idle-${i}`, title: title === 'unknown' ? 'idle' : `idle: ${title}`,
        ns: (idle ? idle[name] : 0) + (title === 'unknown' ? rest : 0), isIdle: true}));
    return [...work, ...causes].filter(({ns}) => ns > 0);
}

/* What the verdict calls the device, where it has no name: "NPU". */
function wordFor(entry, device) {
    const verdict = tableOf(entry, 'verdict').find(row => isSameDevice(row, device));
    const found = verdict && / the (\S+) /i.exec(` ${splitVerdict(verdict.verdict).what} `);
    return found ? found[1] : 'device';
}

/* The bars of a profile: of each device, of its streams where there are several, and of the host. */
function barsOf(entry) {
    const idles = tableOf(entry, 'idle');
    const bars = [];
    for (const device of tableOf(entry, 'devices')) {
        const mine = row => isSameDevice(row, device);
        const streams = tableOf(entry, 'streams').filter(mine);
        const add = (label, depth, {times, causes, of}) => bars.push({
            label, depth, entry, of, span: times.span_ns, busy: times.busy_ns,
            segments: segmentsOf(times, causes)});
        const whole = timesOf(entry, device);
        add(device.device || (streams.length === 1 ? streams[0].stream : wordFor(entry, device)), 0,
            whole);
        if (streams.length >= BARS_AT_FIRST) { /* the busiest say most */
            streams.sort((a, b) => b.busy_ns - a.busy_ns);
        }
        streams.filter(() => streams.length > 1).forEach(row => add(row.stream, 1, {
            times: row, of: whole.of === 'an inference' ? whole.of : 'the span',
            causes: idles.find(idle => mine(idle) && idle.stream === row.stream)}));
    }
    return [...bars, ...entry.groups.filter(({hostNs}) => hostNs > 0)
        .map(group => hostBar(entry, group))];
}

/* The host in the same time as its device, or in all of the profile. */
function hostBar(entry, {hostNs, extentNs, hostStep}) {
    const {busy, span, of} = hostStep || {busy: hostNs, span: extentNs, of: 'the profile'};
    return {label: 'host', depth: 0, entry, of, span, busy, segments: [
        {name: 'host', title: 'some thread busy', ns: busy, isIdle: false},
        {name: 'idle-4', title: 'none', ns: span - busy, isIdle: true}].filter(({ns}) => ns > 0)};
}

/*
 * How busy the host of a group is while its device works: in a step on average, else from the
 * first work of the device to the last; null where there is no device.
 */
function hostInSteps(profile, {part, origin, hostUnion, deviceHull}) {
    const {name} = profile.parts[part];
    const isMine = row => row.file === name && row.origin === origin;
    const rows = table => rowObjects(profile.tables.get(table)).filter(isMine);
    const [steady] = rows('steady');
    const steps = steady ? rows('steps').filter(
        row => isSameDevice(row, steady) && row.warm_up === 'no') : [];
    const union = withBusy(hostUnion);
    if (steps.length === 0 || steps.length !== steady.step_count) {
        return deviceHull && {of: 'the span', span: deviceHull.to - deviceHull.from,
                              busy: busyBetween(union, deviceHull.from, deviceHull.to)};
    }
    const sum = value => steps.reduce((all, row) => all + value(row), 0) / steps.length;
    return {of: 'a step', span: sum(row => row.time_ns), busy: sum(
        ({start_ns: start, time_ns: time}) => busyBetween(union, start, start + time))};
}

function segmentElement({name, title, ns, isIdle}, {span, of}) {
    const part = ns / span;
    const text = `${title} ${formatPercent(part)}`;
    const element = make('i', {className: `segment ${isIdle ? name : ''}`.trim(),
                               title: `${title}: ${formatNs(ns)}, ${formatPercent(part)} of ` +
                                   `${of}, ${formatNs(span)}`});
    element.style.width = `${100 * part}%`;
    if (!isIdle) {
        element.style.background = classColour(name, isDark());
    }
    element.append(make('span', {textContent: text}));
    return element;
}

function barElement({label, depth, span, of, busy, segments, entry}) {
    const say = segments.map(({title, ns}) => `${title} ${formatPercent(ns / span)}`).join(', ');
    const stack = make('div', {className: 'stack'},
                       ...segments.map(segment => segmentElement(segment, {span, of})));
    stack.setAttribute('role', 'img');
    stack.setAttribute('aria-label', `${visible(label)}, ${of}, ${formatNs(span)}: ${say}`);
    const whose = shownEntries().length > 1 && depth === 0
        ? `${letterOf(entry) || shortName(entry.label)}: ` : '';
    const name = `${whose}${visible(label)}`;
    return make('div', {className: `bar-row depth-${depth}`},
        make('span', {className: 'bar-name', textContent: name, title: name}), stack,
        make('span', {className: 'bar-sum number', textContent:
            `busy ${formatPercent(busy / span)} of ${of}, ${formatNs(span)}`}));
}

/* Labels that do not fit their part of a bar are not shown: the bar's tip has them all. */
function fitLabels() {
    const labels = [...byId('bar-list').querySelectorAll('.segment span')];
    labels.forEach(label => label.classList.remove('unseen'));
    labels.map(label => [label, label.parentElement.clientWidth < label.offsetWidth])
        .forEach(([label, isLong]) => label.classList.toggle('unseen', isLong));
}

function drawBars() {
    const all = shownEntries().map(barsOf);
    const most = Math.max(2, Math.floor(BARS_AT_FIRST / Math.max(1, all.length)));
    const bars = all.flat();
    const shown = state.allBars ? bars : all.flatMap(list => list.slice(0, most));
    byId('bars').hidden = bars.length === 0;
    byId('bar-list').replaceChildren(...shown.map(barElement));
    fitLabels();
    byId('more-bars').hidden = !state.allBars && bars.length === shown.length;
    byId('more-bars').textContent = state.allBars ? 'Show fewer'
        : bars.length - shown.length === 1 ? 'Show one more stream or engine'
        : `Show ${bars.length - shown.length} more streams and engines`;
}

/* ---- findings ------------------------------------------------------------------------------- */

/* The layer of the first device work that starts at |start| or later. */
function layerAfter(profile, start) {
    let best = Infinity, found = null;
    for (const row of profile.rows) {
        const {track} = row;
        for (let at = track.places ? firstAtLeast(row.start, start) : row.start.length;
            at < row.start.length && row.start[at] < best; at++) {
            const place = placeOf(track, row.index ? row.index[at] : at);
            if (place && place.isDevice) {
                [best, found] = [row.start[at], place.node];
                break;
            }
        }
    }
    return found === null ? '' : layerPaths(profile)[found];
}

/* Where to look: the layer of what came late, else the device, else the work itself. */
function placeOfFinding(entry, row) {
    const {profile} = entry;
    const layer = row.start_ns !== null ? layerAfter(profile, row.start_ns) : '';
    const work = row.start_ns !== null ? workFrom(profile, row.start_ns) : null;
    const where = layer || row.device || (work ? nameOfSpan(work) : '');
    return letterOf(entry) && where ? `${letterOf(entry)}: ${where}` : where;
}

/* What the gain is of, as the commands say it: " of a step"; nothing where it is of all. */
const ofPeriod = ({period}) => (period && period !== 'the span' ? ` of ${period}` : '');

function findingElement({entry, row}, number) {
    const [what, ...rest] = asSaid(row.advice).split('; ');
    const where = placeOfFinding(entry, row);
    const cells = [
        make('td', {className: 'right faint', textContent: String(number)}),
        make('td', {}, make('span', {className: 'rule', textContent: row.rule,
                                     title: `Explained under ${row.rule} in ${row.page}`})),
        make('td', {className: 'long'}, shortName(`${what.charAt(0).toUpperCase()}${what.slice(1)}`),
             ...(rest.length > 0 ? [make('span', {className: 'faint', textContent:
                 ` \u2013 ${shortName(rest.join('; '))}`})] : [])),
        make('td', {className: 'right number'}, row.gain_ns > 0 ? formatNs(row.gain_ns) : '\u2013',
             ...(row.gain_ns > 0 && ofPeriod(row) !== ''
                 ? [make('span', {className: 'faint', textContent: ofPeriod(row)})] : [])),
        make('td', {className: 'name place', textContent: shortName(where || '\u2013'),
                    title: visible(where)}),
        make('td', {}, ...(row.start_ns === null ? []
            : [evidenceButton(entry, row.start_ns, row.rule)])),
    ];
    return make('tr', {}, ...cells);
}

function drawFindings() {
    const all = shownEntries().flatMap(entry => tableOf(entry, 'advice').map(row => ({entry, row})))
        .sort((a, b) => b.row.gain_ns - a.row.gain_ns);
    const shown = state.allFindings ? all : all.slice(0, FINDINGS_AT_FIRST);
    byId('findings').hidden = all.length === 0;
    byId('finding-count').textContent = all.length > 0 ? formatCount(all.length) : '';
    byId('finding-table').tBodies[0].replaceChildren(
        ...shown.map((finding, i) => findingElement(finding, i + 1)));
    byId('more-findings').hidden = all.length <= FINDINGS_AT_FIRST;
    byId('more-findings').textContent = state.allFindings ? 'Show fewer'
        : `Show ${all.length - FINDINGS_AT_FIRST} more`;
}

/* Zooms to the gap or span that starts at |start|, and selects the work that follows. */
function showEvidence(entry, start) {
    const gap = tableOf(entry, 'gaps').find(row => row.start_ns === start);
    const length = gap ? gap.gap_ns : (timeline.full.to - timeline.full.from) / 50;
    const place = start + shiftOf(entry.profile);
    timeline.setView(place - length / 2, place + 1.5 * length);
    const next = workFrom(entry.profile, start);
    if (next) {
        timeline.select(next);
        timeline.reveal(next);
    }
    byId('timeline').scrollIntoView({block: 'center'});
    byId('canvas').focus({preventScroll: true});
}

/* The first work of a device from |start| on. */
function workFrom(profile, start) {
    let best = null;
    for (const row of profile.rows.filter(({track}) => DEVICE_CLASSES.includes(track.class))) {
        const at = firstAtLeast(row.start, start);
        if (at < row.start.length && (!best || row.start[at] < best.row.start[best.at])) {
            best = {row, at, profile};
        }
    }
    return best;
}
