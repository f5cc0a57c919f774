/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The selection, which all of the page shares: a search, a layer, an operator. Each narrows
 * numbers and timeline; the table that something was chosen in keeps its other rows.
 */

const selection = {query: '', layer: null, operator: null};

/* "net.mlir":24 is net.mlir:24, to a person. */
const plainText = text => text.toLowerCase().replaceAll('"', '');

/* The texts of a profile in which the search is, as 0 or 1; null when there is no search. */
function foundTexts(profile, query) {
    const plain = plainText(query);
    if (plain === '') {
        return null;
    }
    profile.lower = profile.lower || Array.from(
        {length: profile.texts.count}, (_, text) => plainText(profile.texts.get(text)));
    return Uint8Array.from(profile.lower, text => (text.includes(plain) ? 1 : 0));
}

/* Which spans of a profile are chosen. */
class Filter {
    constructor(profile, {query, layer, operator}) {
        this.profile = profile;
        this.operator = operator;
        this.texts = foundTexts(profile, query);
        if (this.texts) {
            const found = this.texts;
            this.sites = Uint8Array.from(profile.siteOperator, (text, site) => (
                found[text] || found[profile.siteText[site]] || found[profile.siteLocation[site]]
                    ? 1 : 0));
            this.types = Uint8Array.from([0, ...profile.types.map(text => found[text])]);
            this.foundLayers = Uint8Array.from(layerPaths(profile), (path, node) => (
                node > 0 && plainText(path).includes(plainText(query)) ? 1 : 0));
        }
        this.layers = layer === null ? null : layersIn(profile, layer);
        /* Texts are found once: an operator is chosen by its name. */
        this.operatorText = operator === null ? -1 : profile.texts.find(operator.name);
    }

    isFound(track, index) {
        return this.sites[track.site[index]] === 1 ||
            (track.type !== null && this.types[track.type[index]] === 1) ||
            (track.places !== null && track.places[index] > 0 &&
             this.foundLayers[(track.places[index] - 1) >> 2] === 1);
    }

    accepts(track, index) {
        if (this.texts && !this.isFound(track, index)) {
            return false;
        }
        if (this.layers && !(track.places && track.places[index] > 0 &&
                             this.layers[(track.places[index] - 1) >> 2] === 1)) {
            return false;
        }
        return this.operator === null ||
            (track.class === this.operator.class &&
             operatorOf(this.profile, track, index) === this.operatorText);
    }

    /* Whether the row of an operator, of a profile that is not here in full, is chosen. */
    acceptsOp(op) {
        return !this.texts || this.texts[op.text] === 1 ||
            (op.location >= 0 && this.texts[op.location] === 1);
    }
}

/* The filter of |profile|, without some of what is selected; null where nothing else is. */
function filterOf(profile, without = {}) {
    const chosen = {...selection, ...without};
    return chosen.query === '' && chosen.layer === null && chosen.operator === null
        ? null : new Filter(profile, chosen);
}

const hasSelection = () => (
    selection.query !== '' || selection.layer !== null || selection.operator !== null);

/* ---- the address ---------------------------------------------------------------------------- */

/* What the fragment of a link keeps: the selection, and what the timeline shows. */
function fragmentOf(view, isWhole) {
    const words = new URLSearchParams();
    if (selection.query !== '') {
        words.set('q', selection.query);
    }
    if (selection.layer !== null) {
        words.set('layer', selection.layer);
    }
    if (selection.operator !== null) {
        words.set('op', selection.operator.name);
        words.set('class', selection.operator.class);
    }
    if (!isWhole && isPair() && state.step > 0) {
        words.set('step', state.step); /* what the view is aligned at */
    }
    if (!isWhole) {
        words.set('view', `${Math.round(view.from)}-${Math.round(view.to)}`);
    }
    return words.toString();
}

/* Takes over what a link says, the step of two profiles included; returns the view that it asks for, or null. */
function readFragment(fragment) {
    const words = new URLSearchParams(fragment.replace(/^#/, ''));
    const text = (key, otherwise) => (words.has(key) ? words.get(key) : otherwise);
    Object.assign(selection, {
        query: text('q', ''), layer: text('layer', null),
        operator: words.has('op') ? {name: words.get('op'), class: text('class', '')} : null});
    if (/^\d{1,9}$/.test(text('step', ''))) {
        state.step = Number(words.get('step'));
    }
    const view = /^(\d+)-(\d+)$/.exec(text('view', ''));
    return view ? {from: Number(view[1]), to: Number(view[2])} : null;
}
