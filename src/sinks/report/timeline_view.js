/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline: a canvas that draws as much of any number of spans as there are pixels. A span of
 * some width is drawn as itself; those that share a pixel become one column, as strong as they are
 * busy. So a frame costs about the same for a thousand spans and for ten million.
 */

const GUTTER_LEAST = 148, GUTTER_MOST = 280, ROW_HEIGHT = 20, COUNTER_HEIGHT = 44, HEAD_HEIGHT = 26;
const MAP_HEIGHT = 26, RULER_HEIGHT = 22;
const WIDE_PIXELS = 2, SAMPLES_PER_COLUMN = 6, MAP_ROWS_MAX = 64, MAP_BANDS_MAX = 4;
const NAME_PREFIX = 48; /* letters that plainName() may leave out */
const LETTER_PIXELS = 6.8, NAMES_MEASURED = 400;
const SHORTEST_VIEW_NS = 8;

/* Busy time of a row, or of anything with its columns, between two moments. */
function busyBetween(row, from, to) {
    const [first, last] = rowRange(row, from, to);
    if (first >= last) {
        return 0;
    }
    return Math.max(0, row.busy[last] - row.busy[first] - Math.max(0, from - row.start[first]) -
        Math.max(0, row.end[last - 1] - to));
}

/* How far a profile is moved on the timeline. */
const shiftOf = profile => profile.shiftNs || 0;

/* As much of |text| as |context| can draw in |width| pixels. */
function fit(context, text, width) {
    let letters = Math.min(text.length, Math.ceil(width / 3));
    while (letters > 1 && context.measureText(clip(text, letters)).width > width) {
        letters--;
    }
    return clip(text, letters);
}

class TimelineView {
    /* |parts|: elements overview, scroll, space, canvas, tip; |events|: onView, onSelect, describe. */
    constructor(parts, events) {
        Object.assign(this, parts);
        this.events = events;
        this.items = [];
        this.bands = [];
        this.gutter = GUTTER_LEAST; /* the names of tracks lie left of it */
        this.height = 0;
        this.full = {from: 0, to: 1};
        this.view = {from: 0, to: 1};
        this.origin = 0; /* what the ruler counts from */
        this.selected = null;
        this.arrows = []; /* pairs of spans */
        this.hovered = null;
        this.frame = 0;
        this.map = null;
    }

    /* ---- what is shown ---------------------------------------------------------------------- */

    /*
     * |shown|: list of {profile, labels of its parts}; |isDrawn| chooses classes of tracks, |counts| those that
     * the map adds up. Keeps the view if asked.
     */
    show(shown, isDrawn, counts, keepView) {
        this.items = [];
        this.bands = shown.flatMap(({profile}) => bandsOf(profile, counts));
        const add = (item, height) => this.items.push({...item, y: 0, height, fullHeight: height});
        let end = 1;
        for (const {profile, labels} of shown) {
            profile.rowsOfTrack = profile.rowsOfTrack || groupBy(profile.rows, row => row.track);
            end = Math.max(end, profile.endNs + shiftOf(profile));
            const drawn = tracksInOrder(profile).filter(track => isDrawn(track.class));
            profile.parts.forEach((_, part) => {
                add({kind: 'head', profile, label: labels[part]}, HEAD_HEIGHT);
                drawn.filter(track => track.part === part)
                    .forEach(track => this.addTrack(profile, track, add));
            });
        }
        this.stack();
        this.gutter = this.widthOfNames();
        this.full = {from: 0, to: end};
        this.map = null;
        if (!keepView) {
            this.view = {...this.full};
        }
        this.resize();
    }

    /*
     * Puts items under one another. Where something is selected on some engines or streams, those
     * without any of it are left out; the host stays, for what launched it.
     */
    stack() {
        const matchesOf = ({row}) => (row && row.matches ? row.matches[row.site.length] : -1);
        const isOfDevice = ({kind, track}) => kind === 'row' && !HOST_CLASSES.includes(track.class);
        const devices = this.items.filter(isOfDevice);
        const isNarrowed = devices.some(item => matchesOf(item) > 0);
        let y = 0;
        for (const item of this.items) {
            const isOut = isNarrowed && isOfDevice(item) && matchesOf(item) === 0;
            Object.assign(item, {y, height: isOut ? 0 : item.fullHeight});
            y += item.height;
        }
        this.height = y;
        this.space.style.height = `${Math.max(this.height, ROW_HEIGHT)}px`;
    }

    widthOfNames() {
        const context = this.canvas.getContext('2d');
        context.font = '11px system-ui, sans-serif';
        const widths = this.items.slice(0, NAMES_MEASURED).filter(item => item.track).map(
            item => context.measureText(clip(item.profile.texts.head(item.track.text, 60), 60)).width);
        return widths.reduce((most, width) => Math.min(Math.max(most, Math.ceil(width) + 22),
                                                       GUTTER_MOST), GUTTER_LEAST);
    }

    addTrack(profile, track, add) {
        if (track.isCounter) {
            if (track.count > 0) {
                const least = track.values.reduce((a, b) => Math.min(a, b), 0);
                const most = track.values.reduce((a, b) => Math.max(a, b), least);
                add({kind: 'counter', profile, track, least, most: most > least ? most : least + 1},
                    COUNTER_HEIGHT);
            }
            return;
        }
        for (const row of profile.rowsOfTrack.get(track) || []) {
            add({kind: 'row', profile, track, row}, ROW_HEIGHT);
        }
    }

    /* Highlights the spans that the filter of each profile accepts; a filter of null, all. */
    highlight(filters) {
        for (const {kind, profile, row} of this.items) {
            if (kind !== 'row') {
                continue;
            }
            const filter = filters && filters.get(profile);
            row.matches = null;
            if (filter) {
                row.matches = new Uint32Array(row.site.length + 1);
                for (let i = 0; i < row.site.length; i++) {
                    const isIn = filter.accepts(row.track, row.index ? row.index[i] : i);
                    row.matches[i + 1] = row.matches[i] + (isIn ? 1 : 0);
                }
            }
        }
        this.stack();
        this.resize();
    }

    /* ---- the view --------------------------------------------------------------------------- */

    setView(from, to) {
        const whole = this.full.to - this.full.from;
        /* Not so short that moments far from zero could not be told apart. */
        const least = Math.max(SHORTEST_VIEW_NS, this.full.to / 2 ** 40);
        const length = Math.min(Math.max(to - from, least), whole);
        const middle = (from + to) / 2;
        const start = Math.min(Math.max(middle - length / 2, this.full.from), this.full.to - length);
        this.view = {from: start, to: start + length};
        this.draw();
        this.events.onView(this.view);
    }

    zoom(factor, at = (this.view.from + this.view.to) / 2) {
        const {from, to} = this.view;
        const length = (to - from) * factor;
        const part = (at - from) / (to - from);
        this.setView(at - length * part, at + length * (1 - part));
    }

    pan(part) {
        const step = (this.view.to - this.view.from) * part;
        this.setView(this.view.from + step, this.view.to + step);
    }

    fit() {
        this.setView(this.full.from, this.full.to);
    }

    /* What is shown, in the times of |profile|. */
    windowOf(profile) {
        return {from: this.view.from - shiftOf(profile), to: this.view.to - shiftOf(profile)};
    }

    timeAt(x) {
        const {from, to} = this.view;
        return from + (x - this.gutter) / this.plotWidth * (to - from);
    }

    /* Zooms so that a span takes a fifth of the width. */
    zoomTo(span) {
        const shift = shiftOf(span.profile);
        const start = span.row.start[span.at] + shift, end = span.row.end[span.at] + shift;
        const room = Math.max(end - start, 4) * 2;
        this.setView(start - room, end + room);
    }

    /* ---- drawing ---------------------------------------------------------------------------- */

    resize() {
        this.space.style.height = `${Math.max(this.height, ROW_HEIGHT)}px`;
        this.width = this.scroll.clientWidth;
        this.canvasHeight = this.scroll.clientHeight;
        this.plotWidth = Math.max(50, this.width - this.gutter);
        for (const [canvas, height] of [[this.canvas, this.scroll.clientHeight],
                                        [this.overview, MAP_HEIGHT + RULER_HEIGHT]]) {
            const ratio = window.devicePixelRatio || 1;
            canvas.style.width = `${this.width}px`;
            canvas.style.height = `${height}px`;
            canvas.width = Math.round(this.width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        this.map = null;
        this.drawNow();
    }

    draw() {
        if (this.frame === 0) {
            this.frame = requestAnimationFrame(() => this.drawNow());
        }
    }

    readTheme() {
        const style = getComputedStyle(document.documentElement);
        const colour = name => style.getPropertyValue(name).trim();
        this.isDark = colour('--scheme') === 'dark';
        this.theme = {text: colour('--text'), faint: colour('--faint'), line: colour('--line'),
                      panel: colour('--panel'), page: colour('--page'), accent: colour('--accent'),
                      span: this.isDark ? '#f4f6fa' : '#10151f'};
        this.colours = new Map(CLASS_NAMES.map(name => [name, classColour(name, this.isDark)]));
    }

    context(canvas) {
        const context = canvas.getContext('2d');
        const ratio = window.devicePixelRatio || 1;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, this.width, canvas.height);
        context.font = '11px system-ui, sans-serif';
        context.textBaseline = 'middle';
        return context;
    }

    drawNow() {
        this.frame = 0;
        this.readTheme();
        this.drawOverview(this.context(this.overview));
        const context = this.context(this.canvas);
        const top = this.scroll.scrollTop, bottom = top + this.scroll.clientHeight;
        this.drawGrid(context, bottom - top);
        for (const item of this.items) {
            if (item.height > 0 && item.y + item.height >= top && item.y <= bottom) {
                this.drawItem(context, item, item.y - top);
            }
        }
        for (const [from, to] of this.arrows) {
            this.drawArrow(context, from, to);
        }
    }

    /* Where a span is on the canvas: its left and right, and the middle of its row. */
    boxOf({row, at, profile}) {
        const item = this.items.find(candidate => candidate.row === row);
        const scale = this.plotWidth / (this.view.to - this.view.from);
        const x = time => this.gutter + (time - this.windowOf(profile).from) * scale;
        return item && {left: x(row.start[at]), right: x(row.end[at]),
                        y: item.y + item.height / 2 - this.scroll.scrollTop};
    }

    /* From a call to what it launched. */
    drawArrow(context, from, to) {
        const [a, b] = [this.boxOf(from), this.boxOf(to)];
        if (!a || !b) {
            return;
        }
        const startX = Math.max(a.left, Math.min(a.right, b.left));
        const bend = Math.max(12, Math.abs(b.left - startX) / 2);
        context.save();
        context.beginPath();
        context.rect(this.gutter, 0, this.plotWidth, this.canvasHeight);
        context.clip();
        context.strokeStyle = context.fillStyle = this.theme.text;
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(startX, a.y);
        context.bezierCurveTo(startX + bend, a.y, b.left - bend, b.y, b.left - 5, b.y);
        context.stroke();
        context.beginPath();
        context.moveTo(b.left, b.y);
        context.lineTo(b.left - 7, b.y - 4);
        context.lineTo(b.left - 7, b.y + 4);
        context.fill();
        context.restore();
    }

    /* Scrolls so that the row of |span| can be seen. */
    reveal({row}) {
        const item = this.items.find(candidate => candidate.row === row);
        if (item && (item.y < this.scroll.scrollTop ||
                     item.y + item.height > this.scroll.scrollTop + this.scroll.clientHeight)) {
            this.scroll.scrollTop = item.y - this.scroll.clientHeight / 2;
        }
    }

    drawGrid(context, height) {
        context.fillStyle = this.theme.line;
        for (const {x} of this.ticks()) {
            context.fillRect(Math.round(x), 0, 1, height);
        }
    }

    drawItem(context, item, y) {
        if (item.kind === 'head') {
            context.fillStyle = this.theme.page;
            context.fillRect(0, y, this.width, item.height);
            context.fillStyle = this.theme.text;
            context.font = '600 12px system-ui, sans-serif';
            context.fillText(clip(item.label, this.width / LETTER_PIXELS), 8, y + item.height / 2 + 1);
            context.font = '11px system-ui, sans-serif';
            return;
        }
        context.save();
        context.beginPath();
        context.rect(this.gutter, y, this.plotWidth, item.height);
        context.clip();
        context.translate(this.gutter, 0);
        if (item.kind === 'row') {
            this.drawRow(context, item, y);
        } else {
            this.drawCounter(context, item, y);
        }
        context.restore();
        this.drawLabel(context, item, y);
    }

    drawLabel(context, item, y) {
        const isFirst = item.kind === 'counter' || (item.row.depth === 0 && item.track.laneOf < 0);
        context.fillStyle = this.theme.line;
        context.fillRect(0, y + item.height - 1, this.width, isFirst ? 1 : 0.5);
        context.fillStyle = classColour(item.track.class, this.isDark);
        context.fillRect(0, y + 2, 4, item.height - 4);
        const name = item.profile.texts.head(item.track.text, this.gutter);
        context.fillStyle = isFirst ? this.theme.text : this.theme.faint;
        const label = isFirst ? name : item.row.depth > 0 ? '' : '\u2514 lane';
        context.fillText(fit(context, label, this.gutter - 16), 10, y + item.height / 2);
    }

    drawRow(context, item, y) {
        const {row} = item;
        const {from, to} = this.windowOf(item.profile);
        const scale = this.plotWidth / (to - from);
        const [first, last] = rowRange(row, from, to);
        for (let i = first; i < last;) {
            const left = (row.start[i] - from) * scale;
            const right = (row.end[i] - from) * scale;
            if (right - left >= WIDE_PIXELS) {
                const isMatch = !row.matches || row.matches[i + 1] > row.matches[i];
                context.globalAlpha = isMatch ? 1 : 0.18;
                context.fillStyle = this.colourOf(item, i);
                this.drawSpan(context, item, i, Math.max(left, -2),
                              Math.min(right, this.plotWidth + 2), y);
                i++;
            } else {
                i = this.drawColumn(context, item, i, last, y, scale);
            }
        }
        context.globalAlpha = 1;
        this.outline(context, item, y, scale);
    }

    /* Of span |i| of a row: by its class. */
    colourOf({profile, track, row}, i) {
        const site = row.site[i];
        const name = profile.siteIsPhase[site] === 1 ? PHASE
            : shownClass(track.class, profile.siteKind[site]);
        return this.colours.get(name) || this.colours.get('group');
    }

    drawSpan(context, item, i, left, right, y) {
        const gap = right - left > 4 ? 0.6 : 0; /* neighbours stay apart */
        context.fillRect(left, y + 2, right - left - gap, item.height - 4);
        const letters = Math.floor((right - left - 8) / LETTER_PIXELS);
        if (letters >= 3) {
            const text = item.profile.siteText[item.row.site[i]];
            context.fillStyle = this.theme.span;
            const name = plainName(item.profile.texts.head(text, letters + NAME_PREFIX));
            context.fillText(clip(name, letters), left + 4,
                             y + item.height / 2);
        }
    }

    /* Draws the spans from |i| on that begin in its pixel as one; returns the next. */
    drawColumn(context, item, i, last, y, scale) {
        const {row} = item;
        const {from} = this.windowOf(item.profile);
        const x = Math.floor((row.start[i] - from) * scale);
        const edge = from + (x + 1) / scale;
        let step = 1;
        while (i + step < last && row.start[i + step] < edge) {
            step *= 2;
        }
        let next = firstAtLeast(row.start, edge, i + 1, Math.min(last, i + step));
        if (next - 1 > i && (row.end[next - 1] - row.start[next - 1]) * scale >= WIDE_PIXELS) {
            next--; /* wide enough to be drawn as itself */
        }
        const busy = row.busy[next] - row.busy[i] - Math.max(0, row.end[next - 1] - edge);
        const isMatch = !row.matches || row.matches[next] > row.matches[i];
        let longest = i;
        const stride = Math.max(1, Math.floor((next - i) / SAMPLES_PER_COLUMN));
        for (let at = i; at < next; at += stride) {
            if (row.end[at] - row.start[at] > row.end[longest] - row.start[longest]) {
                longest = at;
            }
        }
        /* A pale column says that there is something, its strong part how busy it is. */
        const height = item.height - 4;
        const strong = height * Math.max(0, Math.min(1, busy * scale));
        context.fillStyle = this.colourOf(item, longest);
        context.globalAlpha = isMatch ? 0.3 : 0.1;
        context.fillRect(x, y + 2, 1, height);
        context.globalAlpha = isMatch ? 1 : 0.18;
        context.fillRect(x, y + 2 + height - strong, 1, strong);
        return next;
    }

    outline(context, item, y, scale) {
        for (const [span, width] of [[this.hovered, 1], [this.selected, 2]]) {
            if (span && span.row === item.row) {
                const {from} = this.windowOf(item.profile);
                const left = (item.row.start[span.at] - from) * scale;
                const right = (item.row.end[span.at] - from) * scale;
                context.strokeStyle = this.theme.text;
                context.lineWidth = width;
                context.strokeRect(Math.max(left, -4), y + 2, Math.max(
                    Math.min(right, this.plotWidth + 4) - Math.max(left, -4), 2), item.height - 4);
            }
        }
    }

    drawCounter(context, item, y) {
        const {track, least, most} = item;
        const {from, to} = this.windowOf(item.profile);
        context.fillStyle = classColour('counter', this.isDark);
        for (let x = 0; x < this.plotWidth; x++) {
            const at = firstAtLeast(track.start, from + (x + 1) / this.plotWidth * (to - from)) - 1;
            if (at >= 0) {
                const height = (track.values[at] - least) / (most - least) * (item.height - 6);
                context.fillRect(x, y + item.height - 2 - height, 1, Math.max(1, height));
            }
        }
        context.fillStyle = this.theme.text;
        context.fillText(formatValue(most, track.unit), 4, y + 9);
        context.fillText(formatValue(least, track.unit), 4, y + item.height - 8);
    }

    /* ---- the map of everything and the ruler ------------------------------------------------- */

    /* How busy each band is, pixel by pixel; computed once per width. */
    makeMap() {
        const length = (this.full.to - this.full.from) / this.plotWidth;
        this.map = this.bands.slice(0, MAP_BANDS_MAX).map(({tracks, profile}) => (
            Float64Array.from({length: Math.floor(this.plotWidth)}, (_, x) => {
                const from = this.full.from + x * length - shiftOf(profile);
                return tracks.reduce((sum, row) => sum + busyBetween(row, from, from + length), 0) /
                    (length * Math.max(1, tracks.length));
            })));
    }

    drawOverview(context) {
        if (!this.map) {
            this.makeMap();
        }
        const height = (MAP_HEIGHT - 6) / Math.max(1, this.map.length);
        context.fillStyle = this.theme.faint;
        context.fillText(this.map.length > 1 ? 'overview, one line each' : 'overview', 10,
                         MAP_HEIGHT / 2);
        context.fillStyle = this.theme.faint; /* of all classes */
        this.map.forEach((band, line) => band.forEach((busy, x) => {
            const part = Math.min(1, busy) * (height - (line > 0 ? 1 : 0));
            context.fillRect(this.gutter + x, 3 + (line + 1) * height - part, 1, part);
        }));
        const whole = this.full.to - this.full.from;
        const left = (this.view.from - this.full.from) / whole * this.plotWidth;
        const right = (this.view.to - this.full.from) / whole * this.plotWidth;
        context.fillStyle = this.theme.accent;
        context.globalAlpha = 0.14;
        context.fillRect(this.gutter + left, 1, right - left, MAP_HEIGHT - 2);
        context.globalAlpha = 1;
        context.strokeStyle = this.theme.accent;
        context.lineWidth = 1.5;
        context.strokeRect(this.gutter + left + 0.75, 1.75, Math.max(2, right - left - 1.5), MAP_HEIGHT - 3.5);
        this.drawRuler(context);
    }

    /* Round moments, at least a hundred pixels apart. */
    ticks() {
        const {from, to} = this.view;
        const least = (to - from) / (this.plotWidth / 100);
        const power = 10 ** Math.floor(Math.log10(least));
        const step = Math.max(1, [1, 2, 5, 10].map(n => n * power).find(n => n >= least));
        const list = [];
        for (let time = Math.ceil((from - this.origin) / step) * step; time <= to - this.origin;
            time += step) {
            list.push({time, step, x: this.gutter + (time + this.origin - from) / (to - from) *
                this.plotWidth});
        }
        return list;
    }

    drawRuler(context) {
        const middle = MAP_HEIGHT + RULER_HEIGHT / 2;
        context.fillStyle = this.theme.line;
        context.fillRect(0, MAP_HEIGHT + RULER_HEIGHT - 1, this.width, 1);
        for (const {time, step, x} of this.ticks()) {
            context.fillStyle = this.theme.line;
            context.fillRect(Math.round(x), MAP_HEIGHT + 4, 1, RULER_HEIGHT - 4);
            context.fillStyle = this.theme.faint;
            if (x < this.width - 50) {
                context.fillText(formatTick(time, step), x + 4, middle);
            }
        }
    }
}

/* What the map adds up: the work of each origin of each part by itself. */
function bandsOf(profile, counts) {
    return profile.groups.map(group => group.engines
        .filter(engine => engine.union.start.length > 0 && counts(engine.class))
        .slice(0, MAP_ROWS_MAX).map(engine => withBusy(engine.union)))
        .filter(tracks => tracks.length > 0).map(tracks => ({tracks, profile}));
}

/* Tracks as a tree walk by rank, each with its lanes behind it. */
function tracksInOrder(profile) {
    const children = groupBy(profile.tracks.filter(track => track.laneOf < 0),
                             track => track.parent);
    const lanes = groupBy(profile.tracks.filter(track => track.laneOf >= 0), track => track.laneOf);
    const ordered = [];
    const pending = [...(children.get(-1) || [])].reverse();
    while (pending.length > 0) {
        const track = pending.pop();
        ordered.push(track, ...(lanes.get(track.id) || []));
        const below = [...(children.get(track.id) || [])];
        below.sort((a, b) => a.rank - b.rank || a.id - b.id);
        pending.push(...below.reverse());
    }
    return ordered;
}
