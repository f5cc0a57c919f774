/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many ranks: a picture of how long each step, or each collective, took on each of them, with a
 * table behind it. A cell opens the profile of its rank, in this page or in the one beside it. The
 * numbers are those of 'tacho fleet steps' and 'tacho fleet stragglers'.
 */

const HEAT_GUTTER = 150, HEAT_HEAD = 18, HEAT_WIDEST = 110, HEAT_HIGHEST = 22, HEAT_LEAST = 3;
const COLUMN_LETTERS = 32;

/* What a cell may say: of which columns, its word, and how it is worked out. */
const HEAT_MODES = [
    {key: 'wait', kind: 'collective', title: 'waiting in collectives', isWait: true},
    {key: 'collective', kind: 'collective', title: 'time in collectives', isWait: false},
    {key: 'step', kind: 'step', title: 'time of steps', isWait: false},
    {key: 'later', kind: 'step', title: 'time of steps above the fastest rank', isWait: true},
];

const fleetTable = name => rowObjects(state.tables.find(table => table.name === name));

/* ", run 4711" where there are several runs. */
function runLabel(run) {
    return state.fleet.hasRuns && run !== null ? `, run ${clip(run, 24)}` : '';
}

/* |head| is cut off so that |tail| has its place within |most| letters. */
function joinLabel(head, tail, most) {
    return `${clip(head, Math.max(4, most - tail.length))}${tail}`;
}

/* "n03 rank 12", or the path where no rank is known. Of a long one the host is cut off. */
function rankLabel({run, host, rank, path}, most = 4096) {
    const end = runLabel(run);
    if (rank === null || !host) {
        return joinLabel(rank === null ? path || '?' : `rank ${rank}`, end, most);
    }
    return joinLabel(host, ` rank ${rank}${end}`, most);
}

/* "allreduce 7 of group 0"; of a long one the name is cut off. */
function columnLabel({kind, run, group, name, sequence}, most = 4096) {
    const number = kind === 'step' || sequence === null ? '' : ` ${sequence}`;
    const part = kind === 'step' || !group ? '' : ` of group ${clip(group, 16)}`;
    return joinLabel(name || '?', `${number}${part}${runLabel(run)}`, most);
}

/* ---- numbers -------------------------------------------------------------------------------- */

const NATURAL = new Intl.Collator('en', {numeric: true});

function compareColumns(a, b) {
    const texts = ['run', 'group'].map(key => NATURAL.compare(a[key] || '', b[key] || ''));
    return texts[0] || texts[1] || (a.sequence ?? 0) - (b.sequence ?? 0) ||
        NATURAL.compare(a.name || '', b.name || '');
}

/* Times by rank and column, NaN where there is none. */
function heatOf(ranks, columns, cells, {kind, isWait}) {
    const mine = columns.map((column, id) => ({...column, id})).filter(
        column => column.kind === kind).sort(compareColumns);
    const placeOfColumn = new Map(mine.map(({id}, at) => [id, at]));
    const values = new Float64Array(ranks.length * mine.length).fill(NaN);
    for (const {file, id, time_ns: ns} of cells) {
        if (placeOfColumn.has(id)) {
            values[file * mine.length + placeOfColumn.get(id)] = ns;
        }
    }
    if (isWait) { /* who spends the least time in a collective came last: the others waited */
        mine.forEach((_, at) => {
            const column = ranks.map((__, row) => values[row * mine.length + at]);
            const least = Math.min(...column.filter(ns => !Number.isNaN(ns)));
            column.forEach((ns, row) => {
                values[row * mine.length + at] = ns - least;
            });
        });
    }
    return {columns: mine, values};
}

/* What is known of all ranks; null where the page is not of a fleet. */
function readFleet() {
    const ranks = fleetTable('fleet_ranks');
    if (ranks.length === 0) {
        return null;
    }
    const [columns, cells] = [fleetTable('fleet_columns'), fleetTable('fleet_cells')];
    const heats = new Map(HEAT_MODES.map(mode => [mode.key, heatOf(ranks, columns, cells, mode)]));
    const [pages] = fleetTable('fleet_pages');
    return {ranks, heats, hasRuns: new Set(ranks.map(({run}) => run)).size > 1, folder: pages ? pages.path : null,
            modes: HEAT_MODES.filter(({key}) => heats.get(key).columns.length > 0)};
}

const valuesOfRank = ({columns, values}, row) => Array.from(
    values.subarray(row * columns.length, (row + 1) * columns.length)).filter(
    ns => !Number.isNaN(ns));

/* A label that is as long as fits. */
function fitLabel(context, label, width) {
    let most = Math.ceil(width / 3);
    while (most > 8 && context.measureText(label(most)).width > width) {
        most--;
    }
    return fit(context, label(most), width);
}

/* ---- the picture ---------------------------------------------------------------------------- */

class HeatMap {
    constructor(canvas, tip, onChoose) {
        Object.assign(this, {canvas, tip, onChoose});
        this.at = null; /* row and column of the cursor */
        canvas.addEventListener('click', event => this.choose(this.cellAt(event), true));
        canvas.addEventListener('pointermove', event => this.hover(event));
        canvas.addEventListener('pointerleave', () => {
            this.tip.hidden = true;
        });
        canvas.addEventListener('keydown', event => this.key(event));
    }

    show(fleet, mode) {
        Object.assign(this, {fleet, mode, heat: fleet.heats.get(mode.key)});
        const {columns} = this.heat;
        const finite = this.heat.values.filter(ns => !Number.isNaN(ns));
        this.least = finite.reduce((a, b) => Math.min(a, b), Infinity);
        this.most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
        if (this.at && this.at.column >= columns.length) {
            this.at = null;
        }
        this.resize();
    }

    resize() {
        if (!this.heat) {
            return;
        }
        const width = this.canvas.parentElement.clientWidth;
        const {columns} = this.heat;
        const gutter = Math.min(HEAT_GUTTER, Math.floor(width / 3));
        this.gutter = gutter;
        this.cellWidth = Math.max(HEAT_LEAST, Math.min(HEAT_WIDEST, (width - gutter) / columns.length));
        this.cellHeight = Math.max(HEAT_LEAST, Math.min(
            HEAT_HIGHEST, Math.floor(400 / this.fleet.ranks.length)));
        const size = [gutter + Math.floor(this.cellWidth * columns.length),
                      HEAT_HEAD + this.cellHeight * this.fleet.ranks.length];
        const ratio = window.devicePixelRatio || 1;
        [this.canvas.style.width, this.canvas.style.height] = size.map(length => `${length}px`);
        [this.canvas.width, this.canvas.height] = size.map(length => Math.round(length * ratio));
        this.draw();
    }

    /* From nothing to the most, in one tone: colours of the page mean classes. */
    shade(value) {
        const part = this.most > this.least ? (value - this.least) / (this.most - this.least) : 0;
        return 0.08 + 0.92 * part;
    }

    draw() {
        const context = this.canvas.getContext('2d');
        const ratio = window.devicePixelRatio || 1;
        const style = getComputedStyle(document.documentElement);
        const colour = name => style.getPropertyValue(name).trim();
        const {columns, values} = this.heat;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, this.canvas.width, this.canvas.height);
        context.fillStyle = colour('--text');
        const gap = Math.min(this.cellWidth, this.cellHeight) > 5 ? 1 : 0;
        for (let i = 0; i < values.length; i++) {
            if (!Number.isNaN(values[i])) {
                const {left, top} = this.boxOf(Math.floor(i / columns.length), i % columns.length);
                context.globalAlpha = this.shade(values[i]);
                context.fillRect(left, top, this.cellWidth - gap, this.cellHeight - gap);
            }
        }
        context.globalAlpha = 1;
        this.drawNames(context, colour);
        if (this.at) {
            const {left, top} = this.boxOf(this.at.row, this.at.column);
            context.strokeStyle = colour('--accent');
            context.lineWidth = 2;
            context.strokeRect(left, top, this.cellWidth - gap, this.cellHeight - gap);
        }
    }

    drawNames(context, colour) {
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        context.fillStyle = colour('--faint');
        const every = Math.ceil(14 / this.cellHeight);
        this.fleet.ranks.forEach((rank, row) => {
            if (row % every === 0) {
                context.fillText(fitLabel(context, most => rankLabel(rank, most), this.gutter - 14),
                                 2, this.boxOf(row, 0).top + this.cellHeight / 2);
            }
        });
        let free = this.gutter;
        this.heat.columns.forEach((column, at) => {
            const {left} = this.boxOf(0, at);
            const name = columnLabel(column, COLUMN_LETTERS);
            if (left >= free && left + context.measureText(name).width < this.canvas.clientWidth) {
                context.fillText(name, left, HEAT_HEAD / 2);
                free = left + context.measureText(name).width + 12;
            }
        });
    }

    boxOf(row, column) {
        return {left: this.gutter + column * this.cellWidth, top: HEAT_HEAD + row * this.cellHeight};
    }

    cellAt({offsetX, offsetY}) {
        const row = Math.floor((offsetY - HEAT_HEAD) / this.cellHeight);
        const column = Math.floor((offsetX - this.gutter) / this.cellWidth);
        const isIn = row >= 0 && row < this.fleet.ranks.length && column >= 0 &&
            column < this.heat.columns.length;
        return isIn ? {row, column} : null;
    }

    hover(event) {
        const cell = this.cellAt(event);
        timeline.showTip(cell ? cellText(this, cell) : '', event);
    }

    choose(cell, opens) {
        if (cell) {
            this.at = cell;
            this.draw();
            this.onChoose(cell, opens);
        }
    }

    key(event) {
        const {row, column} = this.at || {row: 0, column: 0};
        const moves = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
                       Home: [0, -column], End: [0, this.heat.columns.length - 1 - column]};
        const move = moves[event.key];
        if (move) {
            event.preventDefault();
            this.choose(this.at ? {
                row: Math.min(this.fleet.ranks.length - 1, Math.max(0, row + move[0])),
                column: Math.min(this.heat.columns.length - 1, Math.max(0, column + move[1]))}
                : {row, column}, false);
        } else if (event.key === 'Enter' && this.at) {
            this.onChoose(this.at, true);
        }
    }
}

function cellText({fleet, heat, mode}, {row, column}) {
    const ns = heat.values[row * heat.columns.length + column];
    const all = fleet.ranks.map((_, at) => heat.values[at * heat.columns.length + column])
        .filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
    const median = all[Math.ceil(all.length / 2) - 1];
    return `${rankLabel(fleet.ranks[row], 60)}, ${columnLabel(heat.columns[column], 80)}: ` +
        (Number.isNaN(ns) ? 'not recorded' : `${formatNs(ns)} of ${mode.title}, the median of ` +
            `${formatCount(all.length)} ranks is ${formatNs(median)}`);
}

/* ---- opening a rank ------------------------------------------------------------------------- */

const entryOfRank = ({path}) => state.entries.find(entry => entry.path === path);

/* The page of a rank beside this one; null where there is none. */
const pageOfRank = row => (state.fleet.folder === null ? null
    : `${encodeURIComponent(state.fleet.folder)}/${row}.html`);

/* Shows the profile of a rank, and of it the step. */
async function openRank(row, column) {
    const rank = state.fleet.ranks[row];
    const entry = entryOfRank(rank);
    if (!entry) {
        if (pageOfRank(row)) {
            location.href = pageOfRank(row);
        }
        return;
    }
    await showOnly(entry);
    const at = column && column.kind === 'step'
        ? stepsOf(entry.profile).findIndex(step => step.name === column.name) : -1;
    if (at >= 0) {
        showStep(at);
    }
    byId('timeline').scrollIntoView({block: 'center'});
}

/* What the chosen cell is, and the way to its rank. */
function drawCell(cell, opens) {
    const rank = state.fleet.ranks[cell.row];
    const column = state.heatMap.heat.columns[cell.column];
    byId('heat-cell').replaceChildren(`${cellText(state.heatMap, cell)}. `,
        rankWay(cell.row, column, `open ${rankLabel(rank)}`));
    if (opens) {
        openRank(cell.row, column);
    }
}

/* A button or a link that opens a rank; plain text where there is nothing to open. */
function rankWay(row, column, text) {
    const rank = state.fleet.ranks[row];
    if (entryOfRank(rank)) {
        return goButton(text, visible(rank.path || ''), () => openRank(row, column));
    }
    return pageOfRank(row) ? make('a', {href: pageOfRank(row), textContent: shortName(text),
                                        title: visible(rank.path || '')})
        : shortName(text);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* What is true of all ranks, in a sentence. */
function fleetSentence() {
    /* Ranks that come together come last by chance: the first that is clearly the last is named. */
    const [all] = fleetTable('all_steps');
    const straggler = fleetTable('stragglers').find(row => row.clearly_last_count > 0);
    const count = state.fleet.ranks.length;
    const parts = [`${formatCount(count)} rank${count === 1 ? '' : 's'}.`];
    if (all) {
        const longest = fleetTable('steps').find(step => step.max_ns === all.max_ns);
        parts.push(`A step takes ${formatNs(all.mean_ns)} on average; the longest took ` +
            `${formatNs(all.max_ns)}, on ${shortName(all.slowest || '?')}` +
            `${longest ? runLabel(longest.run) : ''}.`);
    }
    if (straggler) {
        parts.push(`In collectives the others waited ${formatNs(straggler.caused_wait_ns)} for ` +
            `${shortName(rankLabel(straggler))}, ${formatPercent(straggler.wait_percent / 100)} ` +
            `of all waiting; it came last ` +
            `${formatCount(straggler.last_count)}\u00d7.`);
    }
    const {length} = fleetTable('health');
    if (length > 0) {
        parts.push(`${formatCount(length)} problem${length === 1 ? '' : 's'} with the files.`);
    }
    return parts.join(' ');
}

function rankTableColumns() {
    const {heats} = state.fleet;
    const number = (key, title, value, help) => ({key, title, isNumber: true, help, value,
        cell: row => (Number.isFinite(value(row)) ? formatNs(value(row)) : '\u2013')});
    const sum = list => list.reduce((a, b) => a + b, 0);
    const [steps, waits] = [heats.get('step'), heats.get('wait')];
    const mean = row => sum(valuesOfRank(steps, row)) / valuesOfRank(steps, row).length;
    return [
        {key: 'rank', title: 'Rank', className: 'name', isNumber: true, value: row => -row,
         cell: row => rankWay(row, null, rankLabel(state.fleet.ranks[row]))},
        ...(steps.columns.length === 0 ? [] : [
            number('mean', 'Mean step', mean, 'Of the steps in the picture'),
            number('max', 'Longest step', row => Math.max(...valuesOfRank(steps, row)))]),
        ...(waits.columns.length === 0 ? [] : [
            number('waited', 'Waited', row => sum(valuesOfRank(waits, row)),
                   'In the collectives of the picture, for the rank that came last')]),
        {key: 'spans', title: 'Spans', isNumber: true, value: row => state.fleet.ranks[row].count,
         cell: row => formatCount(state.fleet.ranks[row].count)},
    ];
}

function drawRankTable() {
    state.rankTable.setColumns(rankTableColumns());
    state.rankTable.fill(state.rankTable.sorted(state.fleet.ranks.map((_, row) => row)), '');
}

function drawHeat() {
    const mode = state.fleet.modes.find(({key}) => key === byId('heat-mode').value);
    state.heatMap.show(state.fleet, mode);
    byId('heat-scale').textContent = `${mode.title}: faint ${formatNs(state.heatMap.least)}, ` +
        `strong ${formatNs(state.heatMap.most)}`;
    byId('heat').setAttribute('aria-label', `Ranks by ${mode.title}: ` +
        `${state.fleet.ranks.length} rows, ${state.heatMap.heat.columns.length} columns. Arrow keys ` +
        'move, Enter opens the rank.');
    byId('heat-cell').textContent = '';
}

/* The section of ranks, once; what is in it goes by all files of the fleet. */
function startRanks() {
    state.fleet = readFleet();
    if (!state.fleet) {
        return;
    }
    byId('ranks').hidden = false;
    byId('fleet-sentence').textContent = fleetSentence();
    const tables = ['stragglers', 'waits', 'health'].map(
        name => state.tables.find(table => table.name === name)).filter(
        table => table && table.rows.length > 0);
    byId('rank-tables').replaceChildren(...tables.flatMap(tableElements));
    byId('heat-box').hidden = state.fleet.modes.length === 0;
    state.heatMap = new HeatMap(byId('heat'), byId('tip'), drawCell);
    state.rankTable = new SortTable(byId('rank-table'), [], 'rank', drawRankTable);
    drawRankTable();
    if (state.fleet.modes.length > 0) {
        byId('heat-mode').replaceChildren(...state.fleet.modes.map(
            ({key, title}) => new Option(title, key)));
        byId('heat-mode').addEventListener('change', drawHeat);
        window.addEventListener('resize', () => state.heatMap.resize());
        drawHeat();
    }
}
