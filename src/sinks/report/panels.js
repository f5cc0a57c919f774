/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Below the timeline: how long the selected spans are, where operators lie under their roof, what
 * counters say, and how far the profile can be trusted.
 */

const BINS = 48, SPANS_AT_ONCE = 2e5;

const drawing = (tag, attributes, ...children) => {
    const element = document.createElementNS(byId('drawing').namespaceURI, tag);
    for (const [key, value] of Object.entries(attributes)) {
        element.setAttribute(key, String(value));
    }
    element.append(...children);
    return element;
};

/* ---- histogram ------------------------------------------------------------------------------ */

/* The lengths of all selected spans of the side that the operators show. */
function selectedLengths() {
    const most = shownEntries().reduce((sum, entry) => sum + entry.spanCount, 0);
    const lengths = new Float64Array(most);
    let count = 0;
    for (const {profile, resolutionNs} of shownEntries()) {
        const filter = filterOf(profile);
        const tracks = resolutionNs > 0 ? [] : profile.tracks;
        for (const track of tracks.filter(candidate => !candidate.isCounter &&
                 sideOf(candidate) === state.side && isDrawn(candidate.class))) {
            for (let i = 0; i < track.count; i++) {
                const isWork = (track.flags[i] & FLAG_INSTANT) === 0 &&
                    profile.siteIsPhase[track.site[i]] === 0;
                if (isWork && (!filter || filter.accepts(track, i))) {
                    lengths[count++] = track.end[i] - track.start[i];
                }
            }
        }
    }
    return lengths.subarray(0, count);
}

/* Bins of equal ratio from the shortest to the longest length. */
function binsOf(lengths) {
    let least = Infinity, most = 0;
    for (const length of lengths) {
        least = Math.min(least, length);
        most = Math.max(most, length);
    }
    least = Math.max(1, least);
    most = Math.max(least + 1, most);
    const scale = BINS / Math.log(most / least);
    const place = ns => Math.log(Math.max(least, ns) / least) * scale;
    const binOf = ns => Math.min(BINS - 1, Math.floor(place(ns)));
    const counts = new Float64Array(BINS);
    for (const length of lengths) {
        counts[binOf(length)]++;
    }
    return {counts, least, most, place, binOf, edge: at => least * Math.exp(at / scale)};
}

/* The length of the nearest rank: only the bin that has it is sorted. */
function percentileOf(lengths, {counts, binOf}, percent) {
    let rank = Math.ceil(percent * lengths.length / 100) - 1;
    let bin = 0;
    for (; rank >= counts[bin]; bin++) {
        rank -= counts[bin];
    }
    return lengths.filter(length => binOf(length) === bin).sort()[rank];
}

function histogramDrawing(lengths) {
    const bins = binsOf(lengths);
    const {counts, edge, least, most, place} = bins;
    const [width, height, bottom] = [480, 132, 108];
    const step = width / BINS;
    const highest = counts.reduce((a, b) => Math.max(a, b), 1);
    const bars = [...counts].map((count, at) => drawing('rect', {
        x: at * step, width: Math.max(1, step - 1), y: bottom - count / highest * 92,
        height: count / highest * 92, class: 'fill'},
        drawing('title', {}, `${formatNs(Math.round(edge(at)))} \u2013 ` +
            `${formatNs(Math.round(edge(at + 1)))}: ${formatCount(count)}`)));
    const rank = percent => percentileOf(lengths, bins, percent);
    const marks = [50, 99].flatMap(percent => {
        const x = Math.min(width - 1, place(rank(percent)) * step);
        const isRight = x > width - 40;
        return [drawing('line', {x1: x, x2: x, y1: 4, y2: bottom, class: 'mark'}),
                drawing('text', {x: isRight ? x - 4 : x + 4, y: 12,
                                 'text-anchor': isRight ? 'end' : 'start'}, `p${percent}`)];
    });
    const labels = [[least, 'start', 0], [Math.sqrt(least * most), 'middle', width / 2],
                    [most, 'end', width]].map(([ns, anchor, x]) => drawing(
        'text', {x, y: bottom + 16, 'text-anchor': anchor}, formatNs(Math.round(ns))));
    const picture = drawing('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img',
        'aria-label': `Durations of ${lengths.length} spans from ${formatNs(least)} to ` +
            `${formatNs(most)}`}, drawing('line', {x1: 0, x2: width, y1: bottom, y2: bottom,
                                                   class: 'axis'}), ...bars, ...marks, ...labels);
    return [picture, make('p', {className: 'faint number', textContent:
        `${formatCount(lengths.length)} spans of the ${SIDES[state.side]}; p50 ` +
        `${formatNs(rank(50))}, p99 ${formatNs(rank(99))}, longest ${formatNs(most)}`})];
}

let histogramTimer = 0;

/* Of very many spans a little later: what is above it comes first. */
function drawHistogram() {
    const count = shownEntries().reduce((sum, entry) => sum + entry.spanCount, 0);
    clearTimeout(histogramTimer);
    if (count > SPANS_AT_ONCE) {
        histogramTimer = setTimeout(drawHistogramNow, 100);
    } else {
        drawHistogramNow();
    }
}

/* Of two columns the histogram of the selection lies in the one that has room. */
function placeHistogram() {
    const panel = byId('histogram');
    const [left, right] = [byId('left'), byId('right')];
    byId('panels').prepend(panel);
    if (!byId('tables').classList.contains('single')) {
        (left.lastElementChild.offsetTop + left.lastElementChild.offsetHeight >
         right.lastElementChild.offsetTop + right.lastElementChild.offsetHeight
            ? right : left).append(panel);
    }
}

function drawHistogramNow() {
    placeHistogram();
    const lengths = selectedLengths();
    state.lengths = lengths;
    byId('histogram').hidden = shownEntries().every(entry => entry.resolutionNs > 0);
    byId('histogram-plot').replaceChildren(...(lengths.length > 0 ? histogramDrawing(lengths)
        : [make('p', {className: 'faint', textContent: 'No span is selected.'})]));
    /* What the histogram takes beside the operators is room for more of them. */
    const panel = byId('histogram');
    const isBeside = panel.parentElement === byId('left') && !panel.hidden;
    byId('right').style.setProperty('--more', `${isBeside ? panel.offsetHeight + 16 : 0}px`);
}

/* ---- roofline ------------------------------------------------------------------------------- */

/* Points that have a place in the plot: operations per byte, and per second. */
const roofPoints = entry => tableOf(entry, 'roofline').filter(
    row => row.intensity > 0 && row.gflop_per_s > 0);

function drawRoofline() {
    const points = shownEntries().flatMap(roofPoints);
    byId('roofline').hidden = points.length === 0;
    if (points.length > 0) {
        const machine = points[0].machine;
        byId('roofline-machine').textContent = machine ? shortName(machine) : '';
        byId('roofline-plot').replaceChildren(rooflineDrawing(
            points, shownEntries().flatMap(entry => tableOf(entry, 'ceilings'))));
    }
}

/* ---- critical path -------------------------------------------------------------------------- */

/* What the end waits for, and how much earlier it would come if an operator took no time. */
function drawPath() {
    const rows = shownEntries().flatMap(entry => tableOf(entry, 'path_operators')
        .map(row => ({...row, entry})));
    byId('path').hidden = rows.length === 0;
    const kinds = shownEntries().length > 1 ? [] : tableOf(shownEntries()[0] || {tables: new Map()},
                                                          'critical_path');
    byId('path-sum').textContent = kinds.filter(row => row.count !== null && row.share_percent >= 0.05)
        .map(row => `${row.what} ${formatPercent(row.share_percent / 100)}`).join(', ');
    byId('path-table').tHead.replaceChildren(make('tr', {}, headCell('Operator on it'),
        headCell('Where'), headCell('Time', 'On the path', true),
        headCell('Gain', 'How much earlier all would end if it took no time', true)));
    byId('path-table').tBodies[0].replaceChildren(...rows.map(row => make('tr', {},
        make('td', {className: 'name', title: visible(row.operation)},
             ...nameNodes(plainName(row.operation))),
        make('td', {textContent: letterOf(row.entry) ? `${letterOf(row.entry)}: ${row.what}` : row.what}),
        make('td', {className: 'right', textContent: formatNs(row.time_ns)}),
        make('td', {className: 'right', textContent:
            row.gain_ns === null ? '–' : formatNs(row.gain_ns)}))));
}

/* ---- counters ------------------------------------------------------------------------------- */

/* "A", or the name of the profile, where several are shown. */
function ownerOf(profile) {
    const entry = shownEntries().find(candidate => candidate.profile === profile);
    return letterOf(entry) || entry.label;
}

function counterRows() {
    return shownEntries().flatMap(({profile, ...entry}) => profile.tracks
        .filter(track => track.isCounter && track.count > 0).map(track => {
            const {values, start, unit} = track;
            const sum = values.reduce((a, b) => a + b, 0);
            const whose = shownEntries().length > 1 ? `${ownerOf(profile)}: ` : '';
            return [`${whose}${profile.texts.get(track.text)}`, entry.label, track.count,
                    values.reduce((a, b) => Math.min(a, b), Infinity), sum / track.count,
                    values.reduce((a, b) => Math.max(a, b), -Infinity),
                    values[values.length - 1], unit, start];
        }));
}

function drawCounters() {
    const rows = counterRows();
    const titles = ['Counter', 'Samples', 'Least', 'Mean of samples', 'Most', 'Last'];
    byId('counters').hidden = rows.length === 0;
    byId('counter-table').replaceChildren(
        make('thead', {}, make('tr', {}, ...titles.map((title, i) => headCell(title, '', i > 0)))),
        make('tbody', {}, ...rows.map(([name, , count, least, mean, most, last, unit]) => make(
            'tr', {}, make('td', {className: 'name', textContent: shortName(name),
                                  title: visible(name)}),
            ...[formatCount(count), ...[least, mean, most, last].map(
                value => formatValue(value, unit))].map(
                text => make('td', {className: 'right', textContent: text}))))));
}

/* ---- numbers that came with the profile ------------------------------------------------------ */

function metricElement(group) {
    const rows = group.metrics.map(({name, ns, percent}) => [
        clip(name, 60), formatNs(ns), percent >= 0 ? `${formatPercent(percent / 100)} of overall` : '']);
    rows.unshift(['Time span', formatNs(group.extentNs), 'first to last event']);
    return make('div', {className: 'profile'},
        make('h3', {}, make('span', {textContent: shortName(groupLabel(group))}), ' ',
             make('span', {className: 'faint', textContent: group.origin})),
        make('table', {}, make('tbody', {}, ...rows.map(([name, value, share]) => make('tr', {},
            make('td', {textContent: name}), make('td', {className: 'right', textContent: value}),
            make('td', {className: 'right faint', textContent: share}))))));
}

/* Metrics are of engines; streams, which are launched, are in the bars. */
const hasMetrics = ({entry}) => !entry.tables.has('launches');

function drawMetrics() {
    const groups = shownEntries().flatMap(groupsOf).filter(hasMetrics);
    byId('metrics').hidden = groups.length === 0;
    byId('metric-tables').replaceChildren(...groups.map(metricElement));
}

/* ---- health --------------------------------------------------------------------------------- */

/* Whether the profile can be trusted: losses, clocks, what it does not say. */
function healthOf(entry) {
    const facts = [];
    facts.push([entry.lost > 0, entry.lost === 0 ? 'Nothing was lost'
        : `${formatCount(entry.lost)} record${entry.lost === 1 ? '' : 's'} could not be read`]);
    for (const group of groupsOf(entry)) {
        const isAssumed = group.clock.includes('(assumed)');
        if (group.clock.includes('Hz')) {
            facts.push([isAssumed, `Clock: ${shortName(group.clock)}`]);
        }
    }
    if (entry.unendedCount > 0) {
        facts.push([true, `${formatCount(entry.unendedCount)} spans have no end in the input`]);
    }
    if (entry.resolutionNs > 0) {
        facts.push([true, `The timeline merges spans shorter than ${formatNs(entry.resolutionNs)}`]);
    }
    for (const {file, note} of tableOf(entry, 'notes')) {
        facts.push([false, shortName(entry.partCount > 1 && file !== entry.name
            ? `${file}: ${note}` : note)]);
    }
    return facts;
}

function drawHealth() {
    byId('health-list').replaceChildren(...shownEntries().flatMap(entry => [
        ...(state.entries.length > 1
            ? [make('h3', {textContent: shortName(entry.label)})] : []),
        make('ul', {className: 'health'}, ...healthOf(entry).map(([isBad, text]) => make(
            'li', {className: isBad ? 'bad' : '', textContent: text})))]));
    drawLosses();
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

/* What does not depend on the selection; showSelection() draws the rest. */
function drawPanels() {
    drawPath();
    drawCounters();
    drawMetrics();
    drawHealth();
}
