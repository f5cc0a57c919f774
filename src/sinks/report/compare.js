/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two profiles, A and B: what explains the difference, operators and layers side by side. The
 * numbers of operators are those of 'tacho diff A B'.
 */

/* A and B, in the order of 'tacho diff': what was computed comes before what was measured. */
function pairEntries() {
    const [first, second] = state.entries;
    const rank = entry => ORIGINS.indexOf(entry.origin);
    return rank(first) <= rank(second) ? [first, second] : [second, first];
}

/* "A" or "B" where two profiles are compared. */
const letterOf = entry => (isPair() ? 'AB'[pairEntries().indexOf(entry)] : '');

const isPair = () => state.entries.length === 2 && shownEntries().length === 2 &&
    state.tables.some(table => table.name === 'waterfall');

const pairTable = name => rowObjects(state.tables.find(table => table.name === name));

/* ---- waterfall ------------------------------------------------------------------------------ */

/* A row of the waterfall: the bar goes from the total before to the total after. */
function fallElement(row, before, most) {
    const isSide = row.difference_ns === null;
    const from = isSide ? 0 : Math.min(before, row.total_ns);
    const to = isSide ? row.total_ns : Math.max(before, row.total_ns);
    const fill = make('i', {className: isSide ? 'side' : row.difference_ns > 0 ? 'slower' : 'faster'});
    fill.style.marginLeft = `${100 * from / most}%`;
    fill.style.width = `${Math.max(0.2, 100 * (to - from) / most)}%`;
    const change = isSide ? '' : `${row.difference_ns > 0 ? '+' : ''}${formatNs(row.difference_ns)}`;
    return make('tr', {className: isSide ? 'side' : ''},
        make('td', {className: 'name', textContent: shortName(plainName(row.step)),
                    title: visible(row.step)}),
        make('td', {className: 'right', textContent: change}),
        make('td', {className: 'fall'}, make('span', {className: 'fall-bar'}, fill)),
        make('td', {className: 'right', textContent: formatNs(row.total_ns)}));
}

function drawWaterfall() {
    const rows = pairTable('waterfall');
    const most = rows.reduce((sum, row) => Math.max(sum, row.total_ns), 1);
    byId('fall-table').tBodies[0].replaceChildren(...rows.map((row, i) => fallElement(
        row, i > 0 ? rows[i - 1].total_ns : 0, most)));
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Rows of what is selected. */
function pairRows() {
    const query = plainText(selection.query);
    const wanted = selection.operator ? selection.operator.name : null;
    return pairTable('operations').filter(row => (
        plainText(`${row.operation} ${row.layer || ''}`).includes(query) &&
        (wanted === null || row.operation === wanted) &&
        (selection.layer === null || `${row.layer || ''}/`.startsWith(`${selection.layer}/`))));
}

const signed = ns => (ns === null ? '\u2013' : `${ns > 0 ? '+' : ''}${formatNs(ns)}`);

function pairColumns() {
    const number = (key, title, format) => ({
        key, title, isNumber: true, value: row => (row[key] === null ? -Infinity : row[key]),
        cell: row => (row[key] === null ? '\u2013' : format(row[key]))});
    return [
        {key: 'operation', title: 'Operator', className: 'name', value: row => row.operation,
         cell: row => make('span', {title: visible(row.operation.slice(0, 1000))},
                           ...nameNodes(plainName(row.operation)))},
        ...(pairTable('operations').some(row => row.layer) ? [{
            key: 'layer', title: 'Layer', className: 'name place', value: row => row.layer || '',
            cell: row => make('span', {textContent: shortName(row.layer || '\u2013'),
                                       title: visible(row.layer || '')})}] : []),
        number('a_ns', 'A', formatNs), number('b_ns', 'B', formatNs),
        {...number('difference_ns', 'Difference', signed),
         value: row => Math.abs(row.difference_ns || 0)},
        number('change_percent', 'Change', value => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`),
        {key: 'count', title: 'Count', help: 'In A and in B', isNumber: true,
         value: row => (row.a_count || 0) + (row.b_count || 0),
         cell: row => [row.a_count, row.b_count].map(
             count => (count === null ? '\u2013' : formatCount(count))).join(' \u2192 ')},
        ...(new Set(pairTable('operations').map(row => row.kind)).size < 2 ? [] : [
            {key: 'kind', title: 'Match', value: row => row.kind, cell: row => row.kind}]),
    ];
}

function drawPairOps() {
    const rows = pairRows();
    pairedTable.setColumns(pairColumns());
    pairedTable.fill(pairedTable.sorted(rows).slice(0, state.rowLimit),
                     'No operator fits the search.');
}

/* ---- layers --------------------------------------------------------------------------------- */

/* Layers of both profiles by path; a row has the times of each. */
function pairLayers(all) {
    const [a] = pairEntries().map(entry => entry.profile);
    const merged = new Map();
    for (const row of all) {
        const key = row.path;
        if (!merged.has(key)) {
            merged.set(key, {...row, children: [], outer: null, sides: [null, null],
                             deviceTotal: 0, hostTotal: 0});
        }
        const made = merged.get(key);
        const side = row.profile === a ? 0 : 1;
        const time = row.allDevice > 0 ? row.deviceTotal : row.hostTotal;
        made.sides[side] = (made.sides[side] || 0) + (time || 0);
        made.deviceTotal += row.deviceTotal || 0;
        made.hostTotal += row.hostTotal || 0;
    }
    const rows = [...merged.values()];
    for (const row of rows) {
        row.outer = row.depth > 1 ? outerRow(merged, row) : null;
        if (row.outer) {
            row.outer.children.push(row);
        }
    }
    return rows;
}

function pairedLayerColumns() {
    const side = (title, at) => ({title, help: `Time in ${title}, with all inside`, text: row => (
        row.sides[at] === null ? '\u2013' : formatNs(row.sides[at]))});
    return [side('A', 0), side('B', 1), {title: 'Difference', help: 'B less A', text: row => signed(
        (row.sides[1] || 0) - (row.sides[0] || 0))}];
}

/* ---- all of it ------------------------------------------------------------------------------ */

function drawCompare() {
    byId('compare').hidden = !isPair();
    if (isPair()) {
        const [a, b] = pairEntries().map(entry => entry.origin);
        byId('compare-note').textContent = a === b ? 'B less A'
            : `A is ${a}, B is ${b}: no change, but how they differ`;
        drawWaterfall();
        drawPairOps();
    }
}
