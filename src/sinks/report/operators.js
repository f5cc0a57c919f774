/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two tables that people work with: layers as a tree, and operators. A click on a row selects
 * it; what is selected anywhere narrows the numbers of both.
 */

const LAYERS_AT_FIRST = 400;
const SIDES = ['device', 'host', 'other'];
const COMPARED = 'A and B';

/* ---- layers --------------------------------------------------------------------------------- */

const nameOf = op => op.profile.texts.get(op.text);
const locationOf = op => (op.location < 0 ? '' : op.profile.texts.get(op.location));

/* Whether any work is in a layer: else the tree says nothing. */
const hasLayers = entry => tableOf(entry, 'groups').some(row => row.depth > 0);

/* Rows of the tree in order, those inside closed ones left out. */
function openRows(rows, isOpen) {
    const present = new Set(rows);
    const byTime = (a, b) => (b.deviceTotal - a.deviceTotal) || (b.hostTotal - a.hostTotal) ||
        (a.label < b.label ? -1 : 1);
    const shown = [];
    const pending = rows.filter(row => !row.outer).sort(byTime).reverse();
    while (pending.length > 0) {
        const row = pending.pop();
        shown.push(row);
        const inner = row.children.filter(child => present.has(child));
        row.hasInner = inner.length > 0;
        if (isOpen(row)) {
            pending.push(...inner.sort(byTime).reverse());
        }
    }
    return shown;
}

/* A tree opens down to where it branches. */
function isOpenAtFirst(row) {
    for (let outer = row; outer; outer = outer.outer) {
        const siblings = outer.outer ? outer.outer.children.length : 1;
        if (siblings > 1) {
            return false;
        }
    }
    return true;
}

function isLayerOpen(row) {
    return state.layersOpen.has(row.path) ? state.layersOpen.get(row.path)
        : selection.query !== '' || isOpenAtFirst(row);
}

function toggleLayer(row, isOpen) {
    state.layersOpen.set(row.path, isOpen);
    drawLayers();
}

const layerIsSelected = row => selection.layer !== null && selection.layer === row.path;

function layerName(row) {
    const cell = make('td', {className: 'name tree'});
    cell.style.paddingLeft = `${10 + 14 * Math.max(0, row.depth - 1)}px`;
    if (row.hasInner) {
        const twist = make('button', {type: 'button', className: 'twist',
                                      textContent: isLayerOpen(row) ? '\u25be' : '\u25b8'});
        twist.setAttribute('aria-expanded', String(isLayerOpen(row)));
        twist.setAttribute('aria-label', `What is in ${visible(row.label)}`);
        twist.addEventListener('click', event => {
            event.stopPropagation();
            toggleLayer(row, !isLayerOpen(row));
            refocus('layer-table', row.path, '.twist');
        });
        cell.append(twist);
    } else {
        cell.append(make('span', {className: 'twist'}));
    }
    cell.append(selectButton(row.label, layerIsSelected(row), () => selectLayer(row)));
    return cell;
}

/* After a table was drawn again, the row |key| has the focus as before. */
function refocus(table, key, what) {
    const row = [...byId(table).querySelectorAll('tbody tr')].find(tr => tr.dataset.key === key);
    if (row && row.querySelector(what)) {
        row.querySelector(what).focus();
    }
}

function selectButton(text, isSelected, select) {
    const button = make('button', {type: 'button', className: 'row-name',
                                   title: visible(text.slice(0, 1000))},
                        ...nameNodes(plainName(text)));
    button.setAttribute('aria-pressed', String(isSelected));
    button.addEventListener('click', event => {
        event.stopPropagation();
        select();
    });
    return button;
}

function selectLayer(row) {
    choose({layer: layerIsSelected(row) || row.path === '' ? null : row.path});
    refocus('layer-table', row.path, '.row-name');
}

/* The time that layers are compared by: of the device where there is any. */
function layerColumns(rows) {
    const hasDevice = rows.some(row => row.allDevice > 0);
    const columns = hasDevice ? [
        {title: 'Device', help: 'Time of the device for the layer, with all inside',
         text: row => formatNs(row.deviceTotal || 0)},
        {title: 'Share', help: 'Of the device time of all layers', share: row => (
            row.allDevice > 0 ? (row.deviceTotal || 0) / row.allDevice : 0)},
        {title: 'Pieces', help: 'Pieces of work of the device, with all inside',
         text: row => formatCount(row.piecesIn)},
    ] : [
        {title: 'Host', help: 'Time of the host in the layer, with all inside',
         text: row => formatNs(row.hostTotal || 0)},
        {title: 'Share', help: 'Of the host time of all layers', share: row => (
            row.allHost > 0 ? (row.hostTotal || 0) / row.allHost : 0)},
        {title: 'Count', help: 'How often it ran', text: row => (
            row.count === null ? '\u2013' : formatCount(row.count))},
    ];
    if (hasDevice && rows.some(row => row.allHost > 0)) {
        columns.push({title: 'Host', help: 'Time of the host in the layer, with all inside; ' +
            'not to be added to that of the device', text: row => formatNs(row.hostTotal || 0)});
    }
    return columns;
}

function layerElement(row, columns) {
    const element = make('tr', {className: layerIsSelected(row) ? 'selected' : ''}, layerName(row),
        ...columns.map(({text, share}) => {
            const cell = make('td', {className: 'right'});
            cell.append(share ? shareElement(share(row)) : text(row));
            return cell;
        }));
    element.dataset.key = row.path;
    element.addEventListener('click', () => selectLayer(row));
    return element;
}

function shareElement(part, colour) {
    return make('span', {className: 'share'}, bar('cell-bar', part, colour),
                make('span', {className: 'percent', textContent: formatPercent(part)}));
}

function drawLayers() {
    const entries = shownEntries().filter(hasLayers);
    const isPaired = isPair();
    byId('layers').hidden = entries.length === 0;
    byId('tables').classList.toggle('single', entries.length === 0 && !isPaired);
    if (entries.length === 0) {
        return;
    }
    const all = entries.flatMap(entry => {
        const rows = layerRows(entry.profile);
        const filter = filterOf(entry.profile, {layer: null});
        return filter && entry.resolutionNs === 0 ? filteredRows(entry.profile, rows, filter) : rows;
    });
    state.layerRows = all;
    const rows = (isPaired ? pairLayers(all) : all).filter(
        row => row.deviceTotal > 0 || row.hostTotal > 0);
    const columns = isPaired ? pairedLayerColumns(rows) : layerColumns(rows);
    const shown = openRows(rows, isLayerOpen);
    byId('layer-count').textContent = formatCount(rows.filter(row => row.path !== '').length);
    byId('layer-table').tHead.replaceChildren(make('tr', {}, headCell('Layer'),
        ...columns.map(column => headCell(column.title, column.help, true))));
    byId('layer-table').tBodies[0].replaceChildren(
        ...shown.slice(0, LAYERS_AT_FIRST).map(row => layerElement(row, columns)));
}

function headCell(title, help = '', isNumber = false) {
    return make('th', {scope: 'col', className: isNumber ? 'right' : '', title: help},
                make('span', {className: 'plain', textContent: title}));
}

/* ---- operators ------------------------------------------------------------------------------ */

const opIsSelected = op => selection.operator !== null &&
    selection.operator.class === op.class && selection.operator.name === nameOf(op);

function selectOp(op) {
    choose({operator: opIsSelected(op) ? null : {name: nameOf(op), class: op.class}});
}

function operatorName(op) {
    const element = selectButton(nameOf(op), opIsSelected(op), () => selectOp(op));
    const point = dot(shownClass(op.class, op.kind || 0));
    point.title = op.class;
    return make('span', {className: 'class-cell'}, point, element);
}

/* Whether operators of the side differ in something: a column of one word says nothing. */
function listed(key, valueOf = op => op[key]) {
    return new Set(state.ops.filter(op => sideOf(op) === state.side).map(valueOf)).size > 1;
}

function operatorColumns() {
    const time = (key, title, help) => ({key, title, help, isNumber: true,
                                         value: op => op[key], cell: op => formatNs(op[key])});
    const columns = [
        {key: 'name', title: 'Operator', value: nameOf, className: 'name', cell: operatorName},
        time('self', 'Self', 'Time in none of the operators inside'),
        {key: 'share', title: `Share of ${SIDES[state.side]}`, isNumber: true, value: op => op.share,
         help: 'Part of the own time of all operators of the device, or of the host, in this ' +
             'profile and origin', cell: op => shareElement(
                 op.share, classColour(shownClass(op.class, op.kind || 0), isDark()))},
        {key: 'count', title: 'Count', isNumber: true, value: op => op.count,
         cell: op => formatCount(op.count)},
        ...(state.ops.some(op => sideOf(op) === state.side && op.total !== op.self) ? [time('total', 'Total')] : []),
        time('mean', 'Mean'),
        time('p50', 'p50', 'Half of the spans are at most this long'),
        time('p99', 'p99', '99 of 100 spans are at most this long'), time('min', 'Min'),
        time('max', 'Max'),
        ...(listed('class') ? [
            {key: 'class', title: 'Class', value: op => op.class, cell: op => op.class}] : []),
    ];
    return [...columns, ...optionalColumns()];
}

/* Columns that only some profiles need. */
function optionalColumns() {
    const columns = [];
    const partOf = op => groupLabel({entry: op.entry, name: op.profile.parts[op.part].name});
    if (listed('origin')) {
        columns.push({key: 'origin', title: 'Origin', value: op => op.origin,
                      help: 'Never summed together', cell: op => op.origin});
    }
    if (listed('profile', partOf)) {
        columns.push({key: 'profile', title: 'Profile', className: 'name', value: partOf,
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

/* Operators of all spans that are counted, kept until something else is counted. */
function allOps(profile, range) {
    const key = JSON.stringify([range.from, range.to, [...state.hiddenClasses], countsPhases()]);
    if (!profile.allOps || profile.allOps.key !== key) {
        profile.allOps = {key, ops: summariseOps(profile, counts, range, null)};
    }
    return profile.allOps.ops;
}

/* Operators of what is shown; shares are of everything that is counted, selected or not. */
function computeOps() {
    const isInView = byId('in-view').checked;
    state.ops = shownEntries().flatMap(entry => {
        const range = isInView ? timeline.windowOf(entry.profile) : {from: 0, to: Infinity};
        const all = allOps(entry.profile, range);
        const filter = filterOf(entry.profile, {operator: null});
        const found = filter ? summariseOps(entry.profile, counts, range, filter) : all;
        return withShares(found, all).map(op => ({...op, entry}));
    });
    drawSides();
    operatorTable.setColumns(operatorColumns());
    drawOps();
}

/* Device, host and what is neither are never in one table. */
function drawSides() {
    const sides = SIDES.map((_, side) => state.ops.some(op => sideOf(op) === side));
    if (!sides[state.side]) {
        state.side = Math.max(0, sides.indexOf(true));
    }
    const choices = SIDES.map((name, side) => [name, side]).filter(([, side]) => sides[side]);
    const isCompared = isPair() && state.isCompared;
    byId('sides').hidden = choices.length < 2 && !isPair();
    byId('sides').replaceChildren(make('legend', {className: 'unseen', textContent: 'Operators of'}),
        ...(isPair() ? [sideLabel(COMPARED, isCompared, () => (state.isCompared = true))] : []),
        ...choices.map(([name, side]) => sideLabel(`${name[0].toUpperCase()}${name.slice(1)}`, !isCompared && side === state.side, () => {
            state.isCompared = false;
            state.side = side;
        })));
    byId('pair-table').hidden = !isCompared;
    byId('operator-table').hidden = isCompared;
}

function sideLabel(name, isChecked, choose) {
    const radio = make('input', {type: 'radio', name: 'side', value: name, checked: isChecked});
    radio.addEventListener('change', () => {
        choose();
        drawSides();
        operatorTable.setColumns(operatorColumns());
        drawOps();
        drawHistogram();
        byId('sides').querySelector('input:checked').focus();
    });
    return make('label', {className: 'segment-label'}, radio, name);
}

/* Why there is no row. */
function nothingFound() {
    if (hasSelection()) {
        return 'No operator fits the search or the selection.';
    }
    const entries = shownEntries();
    return entries.length === 0 ? 'No profile is shown.'
        : entries.every(entry => entry.spanCount === 0) ? 'The profile has no spans.'
        : byId('in-view').checked ? 'Nothing is counted in what the timeline shows.'
        : 'Nothing is counted: the tracks chosen have no operators.';
}

/* What the rows of the table add up to, and of what. */
function totalText(ops) {
    const self = ops.reduce((sum, op) => sum + op.self, 0);
    const all = new Map(ops.map(op => [`${op.part} ${op.origin} ${state.entries.indexOf(op.entry)}`,
                                       op.sideNs]));
    const whole = [...all.values()].reduce((a, b) => a + b, 0);
    const spans = ops.reduce((sum, op) => sum + op.count, 0);
    const ofWhat = hasSelection() && whole > 0
        ? `, ${formatPercent(self / whole)} of ${formatNs(whole)}` : '';
    return ops.length === 0 ? '' : `${formatCount(ops.length)}, ${formatCount(spans)} spans, ` +
        `${formatNs(self)}${ofWhat}`;
}

function drawOps() {
    const ofSide = state.ops.filter(op => sideOf(op) === state.side);
    const sorted = operatorTable.sorted(ofSide);
    state.visibleOps = sorted;
    operatorTable.fill(sorted.slice(0, state.rowLimit), nothingFound());
    [...byId('operator-table').tBodies[0].rows].forEach((row, i) => {
        const op = sorted[i];
        if (op) {
            row.classList.toggle('selected', opIsSelected(op));
            row.addEventListener('click', () => selectOp(op));
        }
    });
    const isCompared = isPair() && state.isCompared;
    byId('operator-count').textContent = isCompared
        ? formatCount(pairRows().length) : totalText(ofSide);
    const left = (isCompared ? pairRows() : sorted).length - state.rowLimit;
    byId('more').hidden = left <= 0;
    byId('more').textContent = `Show ${formatCount(Math.min(left, ROWS_MORE))} of ${formatCount(left)} more`;
}
