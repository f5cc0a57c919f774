/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline as people use it: pointer, wheel, keys, tips and the selected span.
 */

class Timeline extends TimelineView {
    constructor(parts, events) {
        super(parts, events);
        this.listen();
    }

    itemAt(y) {
        const inside = y + this.scroll.scrollTop;
        return this.items.find(
            item => inside >= item.y && inside < item.y + item.height) || null;
    }

    /* The span at a place of the canvas, the nearest within two pixels, or null. */
    pick(x, y) {
        const item = this.itemAt(y);
        if (!item || item.kind !== 'row' || x < this.gutter) {
            return null;
        }
        const near = 2 / this.plotWidth * (this.view.to - this.view.from);
        const time = this.timeAt(x) - shiftOf(item.profile);
        const {row} = item;
        const [first, last] = rowRange(row, time - near, time + near);
        let best = null, bestDistance = Infinity;
        for (let at = first; at < Math.min(last, first + 50); at++) {
            const distance = Math.max(row.start[at] - time, time - row.end[at], 0);
            if (distance < bestDistance) {
                best = {row, at, profile: item.profile};
                bestDistance = distance;
            }
        }
        return best;
    }

    select(span) {
        this.selected = span;
        this.arrows = [];
        this.draw();
        this.events.onSelect(span);
    }

    /* The span before or after the selected one on its row; the view follows. */
    step(by) {
        if (!this.selected) {
            const item = this.items.find(candidate => candidate.kind === 'row');
            if (item) {
                const {from, to} = this.windowOf(item.profile);
                const at = rowRange(item.row, from, to)[0];
                this.select({row: item.row, profile: item.profile,
                             at: Math.min(at, item.row.start.length - 1)});
            }
            return;
        }
        const {row, profile} = this.selected;
        const at = Math.min(Math.max(this.selected.at + by, 0), row.start.length - 1);
        this.select({row, profile, at});
        const middle = (row.start[at] + row.end[at]) / 2 + shiftOf(profile);
        if (middle < this.view.from || middle > this.view.to) {
            const half = (this.view.to - this.view.from) / 2;
            this.setView(middle - half, middle + half);
        }
    }

    key(event) {
        const actions = {
            ArrowLeft: () => (event.shiftKey ? this.step(-1) : this.pan(-0.1)),
            ArrowRight: () => (event.shiftKey ? this.step(1) : this.pan(0.1)),
            ArrowUp: () => this.zoom(0.7), ArrowDown: () => this.zoom(1 / 0.7),
            a: () => this.pan(-0.1), d: () => this.pan(0.1),
            w: () => this.zoom(0.7), s: () => this.zoom(1 / 0.7),
            '+': () => this.zoom(0.7), '-': () => this.zoom(1 / 0.7),
            '0': () => this.fit(), Home: () => this.fit(),
            PageUp: () => this.scroll.scrollBy(0, -100), PageDown: () => this.scroll.scrollBy(0, 100),
            Enter: () => this.selected && this.zoomTo(this.selected),
            Escape: () => this.select(null),
        };
        const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            action();
        }
    }

    /* The wheel zooms once the timeline has the focus, or with Ctrl; else the page scrolls. */
    wheel(event) {
        const isMine = document.activeElement === this.canvas || event.ctrlKey || event.metaKey;
        if (!isMine) {
            return;
        }
        event.preventDefault();
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            this.pan((event.deltaX || event.deltaY) / 1000);
        } else {
            const x = Math.max(event.offsetX, this.gutter);
            this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), this.timeAt(x));
        }
    }

    /* What lies at the pointer: a span, or the whole name of a track. */
    hover(event) {
        const span = this.pick(event.offsetX, event.offsetY);
        const item = event.offsetX < this.gutter ? this.itemAt(event.offsetY) : null;
        this.hovered = span;
        const text = span ? this.events.describe(span)
            : item && item.track ? this.events.describeTrack(item.profile, item.track)
            : this.sampleText(event);
        this.showTip(text, event);
        this.draw();
    }

    /* The value of the counter at the pointer. */
    sampleText(event) {
        const item = event.offsetX >= this.gutter ? this.itemAt(event.offsetY) : null;
        if (!item || item.kind !== 'counter') {
            return '';
        }
        const time = this.timeAt(event.offsetX) - shiftOf(item.profile);
        const at = firstAtLeast(item.track.start, time + 1) - 1;
        return at < 0 ? '' : `${clip(item.profile.texts.get(item.track.text), 160)}: ` +
            `${formatValue(item.track.values[at], item.track.unit)}\n` +
            `since ${formatNs(item.track.start[at])}`;
    }

    /* Next to the pointer, and always whole inside the window. */
    showTip(text, {clientX, clientY}) {
        this.tip.hidden = text === '';
        if (text !== '') {
            this.tip.textContent = text;
            const {offsetWidth: width, offsetHeight: height} = this.tip;
            const left = Math.min(clientX + 14, innerWidth - width - 8);
            const below = clientY + 18;
            const top = below + height + 8 > innerHeight ? clientY - height - 12 : below;
            this.tip.style.left = `${Math.max(8, left)}px`;
            this.tip.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
        }
    }

    listen() {
        const {canvas, overview, scroll} = this;
        let drag = null;
        canvas.addEventListener('pointerdown', event => {
            canvas.focus({preventScroll: true});
            canvas.setPointerCapture(event.pointerId);
            drag = {x: event.offsetX, view: {...this.view}, hasMoved: false};
        });
        canvas.addEventListener('pointermove', event => {
            if (!drag) {
                this.hover(event);
                return;
            }
            const moved = event.offsetX - drag.x;
            drag.hasMoved = drag.hasMoved || Math.abs(moved) > 3;
            if (drag.hasMoved) {
                const step = moved / this.plotWidth * (drag.view.to - drag.view.from);
                this.setView(drag.view.from - step, drag.view.to - step);
            }
        });
        canvas.addEventListener('pointerup', event => {
            if (drag && !drag.hasMoved) {
                this.select(this.pick(event.offsetX, event.offsetY));
            }
            drag = null;
        });
        canvas.addEventListener('pointercancel', () => {
            drag = null;
        });
        canvas.addEventListener('pointerleave', () => {
            this.hovered = null;
            this.tip.hidden = true;
            this.draw();
        });
        canvas.addEventListener('dblclick', event => {
            const span = this.pick(event.offsetX, event.offsetY);
            if (span) {
                this.zoomTo(span);
            }
        });
        canvas.addEventListener('keydown', event => this.key(event));
        scroll.addEventListener('wheel', event => this.wheel(event), {passive: false});
        scroll.addEventListener('scroll', () => this.draw());
        const moveTo = event => {
            const part = (event.offsetX - this.gutter) / this.plotWidth;
            const middle = this.full.from + part * (this.full.to - this.full.from);
            const half = (this.view.to - this.view.from) / 2;
            this.setView(middle - half, middle + half);
        };
        overview.addEventListener('pointerdown', event => {
            overview.setPointerCapture(event.pointerId);
            moveTo(event);
        });
        overview.addEventListener('pointermove', event => event.buttons === 1 && moveTo(event));
        new ResizeObserver(() => requestAnimationFrame(() => {
            if (scroll.clientWidth !== this.width || scroll.clientHeight !== this.canvasHeight) {
                this.resize();
            }
        })).observe(scroll);
    }
}
