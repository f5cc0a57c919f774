/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page says about one span: what it is, where it is in the model and in the program, what
 * launched it or what it launched. Each of these is a way on: to a layer, an operator, a span.
 */

const LAUNCHED_MOST = 50;

const nameOfSpan = ({row, at, profile}) => profile.texts.get(profile.siteText[row.site[at]]);
const categoryOfSpan = ({row, at, profile}) => profile.texts.get(profile.siteCategory[row.site[at]]);

function spanFacts(span) {
    const {row, at, profile} = span;
    const {track} = row;
    const {texts} = profile;
    const site = row.site[at];
    const index = indexOf(span);
    const start = row.start[at], length = row.end[at] - start;
    const facts = [['Name', nameOfSpan(span)],
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
    if (categoryOfSpan(span) !== '') {
        facts.push(['Category', categoryOfSpan(span)]);
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

/* Arguments of a kernel or an operator: its grid, registers, the shapes of its inputs. */
function argumentFacts({row, at, profile}) {
    const {facts} = row.track;
    const index = indexOf({row, at});
    return !facts || facts[index] === 0 ? []
        : profile.texts.get(profile.types[facts[index] - 1]).split('\n').map(line => {
            const [key, value] = line.split('\t');
            return [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, value];
        });
}

/* ---- ways on -------------------------------------------------------------------------------- */

function goButton(text, help, go) {
    const button = make('button', {type: 'button', className: 'link',
                                   textContent: shortName(text), title: help});
    button.addEventListener('click', go);
    return button;
}

/* Selects |span| and moves the timeline to it where it cannot be seen. */
function goToSpan(span) {
    const {row, at, profile} = span;
    const {from, to} = timeline.windowOf(profile);
    if (row.end[at] < from || row.start[at] > to) {
        timeline.zoomTo(span);
    }
    timeline.select(span);
    timeline.reveal(span);
}

/* Frames of Python are "train.py(12): forward". */
const isFrame = span => /\.py\(\d+\): /.test(nameOfSpan(span));

/* The operator and the line of source around a call. */
function callFacts(calls) {
    const operator = calls.filter(call => categoryOfSpan(call) === 'cpu_op').pop();
    const frame = calls.filter(isFrame).pop();
    return [
        ...(operator ? [['Called by', goButton(nameOfSpan(operator), 'Select this operator',
                                               () => goToSpan(operator))]] : []),
        ...(frame ? [['Source', visible(nameOfSpan(frame).slice(0, 300))]] : []),
    ];
}

function launchFacts(span) {
    const calls = callsOf(span);
    const launch = calls[calls.length - 1];
    if (!launch) {
        return [];
    }
    timeline.arrows = [[launch, span]];
    const delay = span.row.start[span.at] - launch.row.start[launch.at];
    const link = goButton(nameOfSpan(launch), 'Select the call', () => goToSpan(launch));
    return [['Launched', make('span', {}, `${formatNs(delay)} earlier by `, link)],
            ...callFacts(calls)];
}

function launchedFacts(span) {
    const launched = HOST_CLASSES.includes(span.row.track.class)
        ? launchedBy(span, LAUNCHED_MOST) : [];
    if (launched.length === 0) {
        return [];
    }
    timeline.arrows = launched.map(work => [span, work]);
    const more = launched.length > 1
        ? ` and ${launched.length - 1}${launched.length === LAUNCHED_MOST ? ' or' : ''} more` : '';
    return [['Launches', make('span', {}, goButton(nameOfSpan(launched[0]), 'Select the work',
                                                   () => goToSpan(launched[0])), more)]];
}

function layerFacts({row, profile, ...span}) {
    const place = placeOf(row.track, indexOf({row, ...span}));
    const path = place ? layerPaths(profile)[place.node] : '';
    return path === '' ? [] : [['Layer', goButton(path, 'Select this layer',
                                                  () => choose({layer: path}))]];
}

function operatorFacts({row, profile, ...span}) {
    const name = profile.texts.get(operatorOf(profile, row.track, indexOf({row, ...span})));
    return [['Select', goButton('all of this operator', 'Select all spans of this operator',
                                () => choose({operator: {name, class: row.track.class}}))]];
}

function drawDetails(span) {
    const facts = span ? [...spanFacts(span), ...argumentFacts(span), ...layerFacts(span), ...launchFacts(span),
                          ...launchedFacts(span), ...operatorFacts(span)] : [];
    byId('details').replaceChildren(...(span ? [make('dl', {className: 'facts'}, ...facts.map(
        ([key, value]) => {
            const text = make('dd');
            text.append(typeof value === 'string' ? shortName(value) : value);
            return make('div', {}, make('dt', {textContent: key}), text);
        }))] : []));
}
