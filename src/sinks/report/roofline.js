/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roofline as a drawing: ceilings of the machine, and a point for each operator whose
 * operations and bytes are known. Both axes are logarithmic. Numbers are those of 'tacho roofline'.
 */

const ROOF = {width: 480, height: 290, left: 52, right: 472, top: 22, bottom: 246};
const ROOF_POINTS_MAX = 300;

const formatRate = gigas => {
    const [unit, size] = [['PFLOP/s', 1e6], ['TFLOP/s', 1e3], ['GFLOP/s', 1]]
        .find(([, least]) => gigas >= least) || ['MFLOP/s', 1e-3];
    return `${+(gigas / size).toPrecision(3)} ${unit}`;
};

/* From numbers to places; |decades| are the powers of ten between. */
function logAxis(values, from, to) {
    const least = Math.floor(Math.log10(Math.min(...values)));
    const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))));
    const place = value => from + (Math.log10(value) - least) / (most - least) * (to - from);
    const every = Math.ceil((most - least) / 6);
    const decades = Array.from({length: most - least + 1}, (_, i) => least + i)
        .filter(power => (power - least) % every === 0).map(power => 10 ** power);
    return {place, decades, least: 10 ** least, most: 10 ** most};
}

/*
 * The line of a ceiling within the axes, and its name unless that would lie on one of |names|.
 * Names stand where no operator can be: above the roof, left of where it bends.
 */
function ceilingLine({ceiling, gflop_per_s: flat, gb_per_s: slope}, {x, y, names, least}) {
    const end = flat > 0 ? x.most : Math.min(x.most, y.most / slope);
    const start = flat > 0 ? x.least : Math.max(x.least, y.least / slope);
    const height = at => (flat > 0 ? flat : slope * at);
    if (!(end > start) || height(end) > y.most * 1.001) {
        return [];
    }
    const place = {x1: x.place(start), x2: x.place(end),
                   y1: y.place(height(start)), y2: y.place(height(end))};
    const middle = Math.sqrt(start * Math.min(end, least / slope));
    const label = flat > 0 ? {x: ROOF.left + 6, y: place.y1 - 4, 'text-anchor': 'start'}
        : {x: x.place(middle) - 8, y: y.place(height(middle)) - 4, 'text-anchor': 'end'};
    const isFree = names.every(name => Math.abs(name.y - label.y) > 13 ||
        Math.abs(name.x - label.x) > 90);
    names.push(...(isFree ? [label] : []));
    return [drawing('line', {...place, class: 'roof'}, drawing('title', {}, shortName(ceiling))),
            ...(isFree ? [drawing('text', label, shortName(ceiling))] : [])];
}

function roofPoint(point, x, y, most) {
    const isDim = selection.query !== '' &&
        !plainText(`${point.operator} ${point.type}`).includes(plainText(selection.query));
    const circle = drawing('circle', {
        cx: x.place(point.intensity), cy: y.place(point.gflop_per_s),
        r: 2.5 + 6 * Math.sqrt(point.total_ns / most), class: isDim ? 'point dim' : 'point'});
    circle.append(drawing('title', {}, `${shortName(point.operator)}\n` +
        `${formatRate(point.gflop_per_s)}, ${point.roof_percent.toFixed(1)} % of its ` +
        `${point.bound} roof\n${+point.intensity.toPrecision(3)} FLOP per byte\n` +
        `${formatNs(point.total_ns)}, ${formatCount(point.count)} times`));
    return circle;
}

function rooflineDrawing(points, ceilings) {
    const shown = points.slice(0, ROOF_POINTS_MAX);
    const flats = ceilings.map(row => row.gflop_per_s).filter(rate => rate > 0);
    const x = logAxis(shown.map(point => point.intensity), ROOF.left, ROOF.right);
    const y = logAxis([...shown.map(point => point.gflop_per_s), ...flats], ROOF.bottom, ROOF.top);
    const most = shown.reduce((sum, point) => Math.max(sum, point.total_ns), 1);
    const grid = [
        ...x.decades.flatMap(value => [
            drawing('line', {x1: x.place(value), x2: x.place(value), y1: ROOF.top, y2: ROOF.bottom,
                             class: 'grid'}),
            drawing('text', {x: x.place(value), y: ROOF.bottom + 16,
                             'text-anchor': value === x.most ? 'end' : 'middle'},
                    String(+value.toPrecision(1)))]),
        ...y.decades.flatMap(value => [
            drawing('line', {x1: ROOF.left, x2: ROOF.right, y1: y.place(value), y2: y.place(value),
                             class: 'grid'}),
            drawing('text', {x: ROOF.left - 6, y: y.place(value) + 4, 'text-anchor': 'end'},
                    formatRate(value).replace('FLOP/s', ''))])];
    const places = {x, y, names: [], least: flats.length > 0 ? Math.min(...flats) : y.most};
    return drawing('svg', {viewBox: `0 0 ${ROOF.width} ${ROOF.height}`, role: 'img', 'aria-label':
        `Roofline of ${shown.length} operators`}, ...grid,
        ...ceilings.flatMap(row => ceilingLine(row, places)),
        ...shown.map(point => roofPoint(point, x, y, most)),
        drawing('text', {x: (ROOF.left + ROOF.right) / 2, y: ROOF.height - 8,
                         'text-anchor': 'middle'}, 'FLOP per byte'),
        drawing('text', {x: 4, y: 10}, 'FLOP/s'));
}
