// The page of fibry-inside. Names and texts of the program are only ever set as text, never as markup.

const SHOWN_MILLIS = 5 * 60_000;
const SHORTEST_MILLIS = 60_000;
const EVERY_MILLIS = 1_000;
const PATIENCE_MILLIS = 15_000;
const LONGEST_PAUSE_MILLIS = 5_000;
const TREND = 60;
const MOST_EVENTS = 200;
const SVG = 'http://www.w3.org/2000/svg';

const $ = id => document.getElementById(id);

// ---- Elements. ----

function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawn(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const name in attributes) made.setAttribute(name, attributes[name]);
  if (text !== undefined) made.textContent = text;
  return made;
}

function say(at, text) {
  if (at.textContent !== text) at.textContent = text;
}

/** Makes the children of an element fit a list, and keeps those that stay: so focus and scrolling stay, too. */
function fit(parent, items, key, make, update) {
  const known = new Map([...parent.children].map(child => [child.dataset.key, child]));
  const used = new Set();
  let at = parent.firstElementChild;
  for (const item of items) {
    let name = String(key(item));
    while (used.has(name)) name += '#'; // each child needs a key of its own
    used.add(name);
    let child = known.get(name);
    known.delete(name);
    if (!child) {
      child = make(item);
      child.dataset.key = name;
    }
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
    update(child, item);
  }
  for (const gone of known.values()) gone.remove();
}

// ---- Numbers and times. ----

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** In a sentence; where a figure would stand it is a dash. */
const UNKNOWN = 'unknown', NO_FIGURE = '–';
/** Why there is no rate and no time yet. */
const ONE_SAMPLE = 'it takes two samples';

/** Why there is no rate at a point. A dump does not tell scopes of one name apart. */
function whyNoRate([number]) {
  return number === 1 ? ONE_SAMPLE : 'scopes of one name have come or gone';
}

function isKnown(number) {
  return number !== null && number !== undefined;
}

function count(number) {
  if (!isKnown(number)) return NO_FIGURE;
  if (number < 10 && number !== Math.round(number)) return number.toFixed(1);
  if (number < 100_000) return whole.format(number);
  return number < 1e6 ? (number / 1e3).toFixed(0) + 'k'
    : number < 1e9 ? (number / 1e6).toFixed(number < 1e7 ? 2 : 1) + 'M' : (number / 1e9).toFixed(2) + 'G';
}

const narrow = matchMedia('(max-width: 700px)');

/** A count in a narrow column. */
function brief(number) {
  return !isKnown(number) ? NO_FIGURE : !narrow.matches || number < 10_000 ? full(number)
    : number < 1e6 ? Math.round(number / 1e3) + 'k' : (number / 1e6).toFixed(1) + 'M';
}

function full(number) {
  return number < 1e9 ? whole.format(number) : count(number);
}

function time(millis) {
  if (!isKnown(millis)) return NO_FIGURE;
  if (millis === 0) return '0 ms';
  if (millis < 0.001) return '<1 µs';
  if (millis < 1) return (millis * 1e3).toFixed(0) + ' µs';
  if (millis < 10) return millis.toFixed(1).replace('.0', '') + ' ms';
  if (millis < 1e3) return millis.toFixed(0) + ' ms';
  if (millis < 6e4) return (millis / 1e3).toFixed(1).replace('.0', '') + ' s';
  const minutes = Math.floor(millis / 6e4), seconds = Math.floor(millis % 6e4 / 1e3);
  if (minutes < 60) return minutes + ' min' + (seconds ? ' ' + seconds + ' s' : '');
  return Math.floor(minutes / 60) + ' h' + (minutes % 60 ? ' ' + minutes % 60 + ' min' : '');
}

function plural(number, what) {
  return full(number) + ' ' + what + (number === 1 ? '' : 's');
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

// ---- Charts. ----

const ROUND_TIMES = [1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 12e5, 18e5, 36e5, 72e5, 18e6, 36e6, 864e5];

/** A round number that is not less. */
function roundUp(number, isTime) {
  if (isTime && number > 5_000) return ROUND_TIMES.find(time => time >= number) ?? Math.ceil(number / 864e5) * 864e5;
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= number * 0.999);
}

class Chart {
  constructor(id, least, format, lines, say, marks = []) {
    this.figure = $(id);
    this.plot = this.figure.querySelector('.plot');
    this.output = this.figure.querySelector('output');
    this.least = least;
    this.format = format;
    this.lines = lines;
    this.say = say;
    this.marks = marks;
    this.points = [];
    this.here = null;
    this.svg = drawn('svg', { role: 'img' });
    this.plot.append(this.svg);
    this.plot.hidden = true; // until there is a sample
    new ResizeObserver(() => this.draw()).observe(this.plot);
    this.plot.addEventListener('pointermove', event => this.point(event.clientX));
    this.plot.addEventListener('pointerleave', () => this.point(null));
  }

  show(points) {
    this.points = points;
    this.plot.hidden = !points.length;
    this.draw();
  }

  point(x) {
    this.here = x === null ? null : x - this.plot.getBoundingClientRect().left;
    this.draw();
  }

  draw() {
    const width = this.plot.clientWidth, height = this.plot.clientHeight;
    const points = this.points;
    if (!width || !points.length) return;
    const top = 15, bottom = height - 17;
    const end = points.at(-1)[1];
    const span = Math.max(SHORTEST_MILLIS, Math.min(SHOWN_MILLIS, end - points[0][1]));
    const shown = points.filter(point => point[1] >= end - span);
    let most = this.least;
    for (const point of shown) for (const line of this.lines) most = Math.max(most, point[line] ?? 0);
    most = roundUp(most, this.format === time);
    const x = point => width - 1 - (end - point[1]) / span * (width - 2);
    const scale = this.marks.length ? Math.log1p : value => value; // times differ by powers of ten
    const y = value => bottom - scale(value) / scale(most) * (bottom - top);
    const parts = [];
    const marks = this.marks.filter(mark => y(mark) > top + 16);
    for (const mark of marks) parts.push(drawn('line', { class: 'rule', x1: 0, x2: width, y1: y(mark), y2: y(mark) }));
    parts.push(drawn('line', { class: 'rule', x1: 0, x2: width, y1: bottom, y2: bottom }),
      drawn('line', { class: 'rule', x1: 0, x2: width, y1: top, y2: top }),
      drawn('text', { x: 0, y: top - 4 }, this.format(most)),
      drawn('text', { x: 0, y: height - 3 }, '−' + time(Math.round(span / 1e4) * 1e4)),
      drawn('text', { x: width, y: height - 3, 'text-anchor': 'end' }, 'now'));
    this.lines.forEach((line, index) => {
      for (const run of this.runs(shown, line)) {
        const path = run.map((point, i) => (i ? 'L' : 'M') + x(point).toFixed(1) + ' ' + y(point[line]).toFixed(1)).join('');
        if (index === 0) {
          parts.push(drawn('path', { class: 'area',
            d: path + 'L' + x(run.at(-1)).toFixed(1) + ' ' + bottom + 'L' + x(run[0]).toFixed(1) + ' ' + bottom + 'Z' }));
        }
        parts.push(drawn('path', { class: index ? 'second' : 'line', d: path }));
      }
    });
    for (const mark of marks) parts.push(drawn('text', { x: 0, y: y(mark) - 4 }, this.format(mark)));
    let at = points.at(-1);
    if (this.here !== null) {
      at = shown.reduce((best, point) => Math.abs(x(point) - this.here) < Math.abs(x(best) - this.here) ? point : best);
      parts.push(drawn('line', { class: 'here', x1: x(at), x2: x(at), y1: top, y2: bottom }));
    }
    if (at[this.lines[0]] !== null) {
      parts.push(drawn('circle', { class: 'dot', cx: x(at), cy: y(at[this.lines[0]]), r: 4 }));
    }
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('aria-label', this.figure.querySelector('b').textContent + ': ' + this.say(at));
    this.svg.replaceChildren(...parts);
    say(this.output, (this.here === null ? '' : clock.format(at[1]) + '  ') + this.say(at));
  }

  /** The parts of a line between the samples that lack, or that have no number. */
  runs(points, line) {
    const runs = [];
    let last = null;
    for (const point of points) {
      if (point[line] === null) { last = null; continue; }
      if (last && point[1] - last[1] < Math.max(10_000, 2.5 * pause)) runs.at(-1).push(point);
      else runs.push([point]);
      last = point;
    }
    return runs;
  }
}

// A point: number, time, actors, busy, waiting, handled, lost, average wait, oldest.
const charts = [
  new Chart('chart-handled', 10, count, [5], point => isKnown(point[5]) ? count(point[5]) : UNKNOWN + ': ' + whyNoRate(point)),
  new Chart('chart-waiting', 10, count, [4], point => count(point[4])),
  new Chart('chart-time', 10, time, [7, 8],
    point => [point[7] !== null && time(point[7]) + ' on average', point[8] > 0 && 'oldest ' + time(point[8])]
    .filter(Boolean).join(', ') || (point[4] ? UNKNOWN + ': ' + whyNoTime(point) : 'no message waits'), [10, 1_000, 60_000])];

/** Why it is not known how long messages wait. */
function whyNoTime(point) {
  return isKnown(point[5]) ? 'none was handled' : whyNoRate(point);
}

// ---- What is known. ----

let run = '', pause = EVERY_MILLIS, points = [], feed = 0, lastEvent = 0, fromScope = 0, chosen = '', fromActor = 0, last = null;
const folded = new Set(), trends = new Map();

function showSums(now) {
  const [, , actors, busy, waiting, handled, lost, average, oldest] = points.at(-1);
  say($('sum-actors'), full(actors));
  say($('sub-actors'), 'in ' + plural(now.allScopes, 'scope'));
  say($('sum-busy'), full(busy));
  say($('sub-busy'), actors ? (busy / actors * 100 < 1 && busy ? '<1' : Math.round(busy / actors * 100)) + ' % of them' : '\u00a0');
  say($('sum-waiting'), full(waiting));
  say($('sub-waiting'), !waiting ? '\u00a0' : oldest ? 'the oldest for ' + time(oldest)
    : average ? time(average) + ' on average' : 'for how long: ' + UNKNOWN);
  $('sub-waiting').title = !waiting ? '' : oldest ? 'as far as it is known: samples see the actors with most to do' : average ? '' : whyNoTime(points.at(-1));
  say($('sum-handled'), count(handled));
  const best = Math.max(...points.map(point => point[5] ?? 0));
  say($('sub-handled'), isKnown(handled) ? 'at most ' + count(best) : whyNoRate(points.at(-1)));
  say($('sum-lost'), full(lost));
  $('sum-lost').className = lost ? 'bad' : '';
  const ago = points.find(point => point[1] >= points.at(-1)[1] - 60_000);
  const span = points.at(-1)[1] - ago[1];
  const since = span > 50_000 ? 'in the last minute' : 'in the last ' + time(Math.round(span / 1e3) * 1e3);
  say($('sub-lost'), points.length < 2 ? lost ? 'when: ' + UNKNOWN + ', ' + ONE_SAMPLE : '\u00a0'
    : (lost - ago[6] ? full(lost - ago[6]) : 'none') + ' ' + since);
  say($('every'), pause > EVERY_MILLIS ? `one in ${time(Math.round(pause / 100) * 100)}, since a sample takes ${time(now.took)}` : 'one a second');
  say($('about'), `Java ${now.java.replace(/\+.*/, '')} · ${plural(now.processors, 'processor')} · ${plural(now.timers, 'timer')} · a sample takes ${time(now.took)}`);
}

// ---- Scopes. ----

function trend(id, value) {
  const values = isKnown(value) && trends.get(id) || []; // it may be another scope, if its rate is unknown
  if (isKnown(value)) values.push(value);
  if (values.length > TREND) values.shift();
  trends.set(id, values);
  return values;
}

function makeScope([id]) {
  const row = element('tr');
  const name = element('td');
  const box = element('div');
  const fold = element('button', 'fold');
  fold.type = 'button';
  fold.addEventListener('click', () => {
    if (!folded.delete(id)) folded.add(id);
    showScopes(last, false);
  });
  const choose = element('button', 'choose');
  choose.type = 'button';
  choose.addEventListener('click', () => {
    chosen = id;
    fromActor = 0;
    showScopes(last, false);
    showActors();
  });
  box.append(fold, element('span', 'leaf'), choose, element('em'));
  name.append(box);
  row.append(name, ...['', 'wide', '', 'trend', '', 'wide'].map(kind => element('td', kind)));
  const svg = drawn('svg', { viewBox: '0 0 76 20', 'aria-hidden': 'true', preserveAspectRatio: 'none' });
  svg.append(drawn('polyline', {}));
  row.children[4].append(svg);
  return row;
}

function updateScope(row, [id, depth, name, state, listsAll, actors, busy, waiting, handled, lost, failed, hasInner]) {
  const [fold, leaf, choose, note] = row.firstChild.firstChild.children;
  row.firstChild.firstChild.style.setProperty('--depth', Math.min(depth, 6));
  fold.hidden = !hasInner;
  leaf.hidden = hasInner;
  say(fold, folded.has(id) ? '▸' : '▾');
  fold.setAttribute('aria-expanded', String(!folded.has(id)));
  fold.setAttribute('aria-label', 'scopes in ' + name);
  say(choose, name);
  choose.title = name + (listsAll ? '' : ': its anonymous actors are not listed');
  choose.setAttribute('aria-pressed', String(id === chosen));
  say(note, state === 'open' ? '' : state);
  row.classList.toggle('chosen', id === chosen);
  const cell = (index, text, isZero) => {
    say(row.children[index], text);
    row.children[index].classList.toggle('zero', isZero);
  };
  cell(1, brief(actors), !actors);
  cell(2, brief(busy), !busy);
  cell(3, brief(waiting), !waiting);
  cell(5, handled > 10_000 || !isKnown(handled) ? brief(handled) : count(handled), !handled);
  row.children[5].title = isKnown(handled) ? '' : UNKNOWN + ': ' + whyNoRate(points.at(-1));
  cell(6, full(lost), !lost);
  row.children[6].classList.toggle('bad', lost > 0);
  const values = trends.get(id) ?? [], most = Math.max(1, ...values);
  row.querySelector('polyline').setAttribute('points', values.map((value, i) =>
    (75 - (values.length - 1 - i) * 75 / (TREND - 1)).toFixed(1) + ',' + (18 - value / most * 16).toFixed(1)).join(' '));
}

function showScopes(now, isNew) {
  const rows = [];
  let hiddenBelow = Infinity;
  now.scopes.forEach((scope, i) => {
    if (isNew) trend(scope[0], scope[8]);
    const [id, depth] = scope;
    if (depth > hiddenBelow) return;
    hiddenBelow = folded.has(id) ? depth : Infinity;
    rows.push([...scope, i + 1 < now.scopes.length && now.scopes[i + 1][1] > depth]);
  });
  if (trends.size > 2_000) trends.clear();
  if (!now.scopes.some(scope => scope[0] === chosen) && now.scopes.length && now.fromScope === fromScope) {
    chosen = now.scopes.reduce((best, scope) => scope[7] > best[7] || (scope[7] === best[7] && scope[6] > best[6]) ? scope : best)[0];
    fromActor = 0;
  }
  fit($('scopes').querySelector('tbody'), rows, row => row[0], makeScope, updateScope);
  pages($('scopes-page'), now.fromScope, now.scopes.length, now.allScopes, 100, from => {
    fromScope = from;
    ask(true);
  });
}

/** Shows which part of a long list is there, with buttons for the others; nothing if all is there. */
function pages(at, from, shown, all, size, go, text = '') {
  turner(at, all <= size ? text : `${text}${text && ', '}${full(from + 1)} to ${full(from + shown)} of ${full(all)}`,
    from > 0 && (() => go(Math.max(0, from - size))), from + shown < all && (() => go(from + size)));
}

/** Shows a text with buttons for the page before and the next one, as far as there are such; no buttons if there is neither. */
function turner(at, text, before, next) {
  if (!before && !next) {
    say(at, text);
    return;
  }
  if (!at.querySelector('.pages')) {
    at.replaceChildren(element('span'), document.createTextNode(' '), element('span', 'pages'));
    for (const [name, label] of [['‹', 'the page before'], ['›', 'the next page']]) {
      const button = element('button', '', name);
      button.type = 'button';
      button.setAttribute('aria-label', label);
      at.lastChild.append(button);
    }
  }
  say(at.firstChild, text);
  [before, next].forEach((go, index) => {
    at.lastChild.children[index].disabled = !go;
    at.lastChild.children[index].onclick = go || null;
  });
}

// ---- Who waits for whom. ----

const WIDE = 148, HIGH = 60, BOX = 30, LONGEST_CHAIN = 8;

/** Leaves out the middle of a long chain. A chain of which other scopes have actors of the same names shares no node with others. */
function shortened(chain, index) {
  const actors = chain.actors.map((name, i) => ({ key: chain.several ? `\u0000${index} ${i}` : name, name }));
  if (actors.length <= LONGEST_CHAIN) return actors;
  const left = actors.length - LONGEST_CHAIN + 1;
  return [...actors.slice(0, 3), { key: '\u0000' + index, name: plural(left, 'more actor'), more: true },
    ...actors.slice(-(LONGEST_CHAIN - 4))];
}

/** The nodes of all chains, by the actor at the end. */
function trees(waits) {
  const ends = new Map();
  waits.forEach((chain, index) => {
    const path = shortened(chain, index), end = path.at(-1);
    const tree = ends.get(end.key) ?? { nodes: new Map(), chain, end: end.key, key: end.key };
    ends.set(end.key, tree);
    path.forEach((node, i) => {
      const known = tree.nodes.get(node.key) ?? { ...node, from: [] };
      tree.nodes.set(node.key, known);
      if (i && !known.from.includes(path[i - 1].key)) known.from.push(path[i - 1].key);
    });
    if (chain.ending === 'cycle') {
      const closes = chain.closes ?? 0, cut = chain.actors.length - path.length;
      const first = path[Math.min(closes, Math.max(3, closes - cut))]; // the fourth node may stand for those left out
      tree.back = first.key;
      tree.cycle = new Set(path.slice(path.indexOf(first)).map(node => node.key));
    }
  });
  return [...ends.values()];
}

function endNote({ ending, place }) {
  const at = place ? ' at ' + place : '';
  return ending === 'cycle' ? 'a cycle: none of them goes on'
    : ending === 'blocked' ? 'blocked' + at
      : ending === 'behind' ? 'waits for a thread' : 'works' + at;
}

function drawTree(svg, tree, most) {
  const laid = [];
  let columns = 0;
  const seen = new Set();
  const lay = (key, level) => {
    const node = tree.nodes.get(key);
    seen.add(key);
    const inner = node.from.filter(from => !seen.has(from)).map(from => lay(from, level + 1));
    if (key === tree.end && tree.chain.others) {
      inner.push({ name: '+' + plural(tree.chain.others, 'actor'), more: true, level: level + 1, column: columns++, inner: [] });
      laid.push(inner.at(-1));
    }
    const column = inner.length ? (inner[0].column + inner.at(-1).column) / 2 : columns++;
    const place = { ...node, level, column, inner };
    laid.push(place);
    return place;
  };
  const end = lay(tree.end, 0);
  const levels = Math.max(...laid.map(place => place.level));
  const step = Math.max(84, Math.min(WIDE, Math.floor(most / columns)));
  const box = step - 12;
  const note = endNote(tree.chain);
  const side = tree.back ? 20 : 0;
  const width = Math.min(most, Math.max(columns * step + side, note.length * 6.7 + 4)), height = (levels + 1) * HIGH + 6;
  const shift = Math.max(0, (width - columns * step - side) / 2);
  const x = place => shift + place.column * step + step / 2, y = place => (levels - place.level) * HIGH + 2;
  const isCycle = key => tree.cycle?.has(key);
  const parts = [];
  for (const place of laid) {
    for (const from of place.inner) {
      const x1 = x(from), y1 = y(from) + BOX, x2 = x(place), y2 = y(place) - 5, middle = (y1 + y2) / 2;
      const bad = isCycle(place.key) && isCycle(from.key) ? ' cycle' : '';
      parts.push(drawn('path', { class: 'edge' + bad, d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}` }),
        drawn('path', { class: 'head' + bad, d: `M${x2 - 4} ${y2 - 1}L${x2 + 4} ${y2 - 1}L${x2} ${y2 + 5}Z` }));
    }
  }
  if (tree.back) {
    const first = laid.find(place => place.key === tree.back) ?? end;
    const x1 = x(end) + box / 2, y1 = y(end) + BOX / 2, x2 = x(first) + box / 2, y2 = y(first) + BOX / 2;
    const out = Math.max(x1, x2) + 18;
    parts.push(drawn('path', { class: 'edge cycle', d: `M${x1} ${y1}C${out} ${y1} ${out} ${y1} ${out} ${(y1 + y2) / 2}C${out} ${y2} ${out} ${y2} ${x2 + 6} ${y2}` }),
      drawn('path', { class: 'head cycle', d: `M${x2 + 7} ${y2 - 4}L${x2 + 7} ${y2 + 4}L${x2 + 1} ${y2}Z` }));
  }
  for (const place of laid) {
    const isEnd = place === end;
    const kind = isCycle(place.key) ? 'cycle' : isEnd ? (tree.chain.near ? 'end near' : 'end') : '';
    const group = drawn('g', { class: kind });
    const letters = Math.floor((box - 12) / 7.6);
    group.append(drawn('title', {}, place.name),
      drawn('rect', { class: place.more ? 'more' : '', x: x(place) - box / 2, y: y(place), width: box, height: BOX, rx: 8 }),
      drawn('text', { class: place.more ? 'note' : '', x: x(place), y: y(place) + 19.5, 'text-anchor': 'middle' },
        place.name.length > letters ? place.name.slice(0, Math.max(1, letters - 1)) + '…' : place.name));
    if (isEnd) {
      const most = Math.floor(width / 6.6);
      group.append(drawn('text', { class: 'note', x: Math.min(Math.max(x(place), note.length * 3.3), width - note.length * 3.3), y: y(place) + BOX + 17, 'text-anchor': 'middle' },
        note.length > most ? note.slice(0, most - 1) + '…' : note));
    }
    parts.push(group);
  }
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', tree.chain.actors.join(' waits for ') + ', which ' + note);
  svg.replaceChildren(...parts);
}

function showWaits(now) {
  const graphs = $('waits').querySelector('.graphs');
  const most = Math.max(220, ($('waits').clientWidth || 420) - 34);
  const all = trees(now.waits);
  all.sort((a, b) => (b.chain.ending === 'cycle') - (a.chain.ending === 'cycle') || b.chain.near - a.chain.near);
  fit(graphs, all, tree => tree.key, () => drawn('svg', {}), (svg, tree) => drawTree(svg, tree, most));
  say($('waits-note'), [now.moreWaits && `and ${full(now.moreWaits)} more`,
    now.waits.some(chain => chain.several) && 'actors of several scopes have the same names'].filter(Boolean).join('; '));
  say($('no-waits'), 'No actor waits for another one.');
}

// ---- Slow handlers. ----

function makeSlow() {
  const row = element('li');
  const bar = element('span', 'bar');
  bar.append(element('i'));
  row.append(element('span', 'name'), element('span', 'each'), element('span', 'rest'), element('span', 'rate'), bar);
  return row;
}

function showSlow(now) {
  const most = Math.max(1e-6, ...now.handlers.map(each => Math.max(each.each ?? 0, each.longest ?? 0)));
  const others = now.unknown === 1 ? '1 class' : full(now.unknown) + ' classes';
  say($('slow-note'), 'time for one message' + (now.unknown && now.handlers.length ? `; ${UNKNOWN} for ${others}` : ''));
  say($('no-slow'), points.length < 2 ? `How long handlers take is ${UNKNOWN}: ${ONE_SAMPLE}.`
    : now.unknown ? `How long busy handlers take is ${UNKNOWN} for ${others}: no message was handled between samples, or actors have ended, and none was seen twice.`
    : 'No handler takes long.');
  fit($('slow').querySelector('ol'), now.handlers.slice(0, 7), each => each.id + ' ' + each.type, makeSlow, (row, each) => {
    const [name, millis, rest, rate, bar] = row.children;
    const slowness = Math.max(each.each ?? 0, each.longest ?? 0);
    say(name, each.handler);
    name.title = each.type;
    say(millis, ((each.longest ?? 0) >= (each.each ?? 0) ? 'over ' : 'about ') + time(slowness));
    say(rest, each.scope + (each.place ? ' · ' + (each.longest ? each.actor + ' ' : '') + 'at ' + each.place : ''));
    rest.title = rest.textContent;
    say(rate, `${full(each.busy)} busy · ${isKnown(each.handled) ? count(each.handled) + '/s' : 'rate ' + UNKNOWN}`);
    rate.title = isKnown(each.handled) ? '' : ONE_SAMPLE + ' of the same actors';
    bar.firstChild.style.width = Math.max(0.5, Math.log1p(slowness) / Math.log1p(most) * 100) + '%';
  });
}

// ---- Events. ----

const BAD = new Set(['failed', 'lost', 'stuck', 'starved', 'escalated']);
const WARN = new Set(['expired', 'full', 'growing', 'blocked', 'lagging', 'stopped']);

function showEvents(now) {
  const list = $('events').querySelector('ol');
  if (now.feed !== feed) {
    feed = now.feed;
    if (lastEvent) { // a new program at the old address, which was asked for later events than it has
      lastEvent = 0;
      list.replaceChildren();
      return;
    }
  }
  for (const [number, at, kind, actor, text] of now.events) {
    lastEvent = Math.max(lastEvent, number);
    const row = element('li');
    const tag = element('span', 'kind ' + (BAD.has(kind) ? 'bad' : WARN.has(kind) ? 'warn' : ''), kind);
    const who = element('span', 'who', actor);
    who.title = actor;
    const date = day.format(at);
    row.append(element('time', '', (date === day.format() ? '' : date + ' ') + clock.format(at)), tag, who);
    if (text) row.append(element('span', 'what', text));
    list.prepend(row);
  }
  while (list.children.length > MOST_EVENTS) list.lastChild.remove();
  say($('events-note'), now.skipped ? `${full(now.skipped)} more were only counted` : '');
}

// ---- What programs and modules add to dumps. ----

function makeSection() {
  const card = element('section', 'card'), title = element('h2'), table = element('table');
  title.append(element('span'), document.createTextNode(' '), element('small'));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(element('tr'));
  const wide = element('div', 'scrolls');
  wide.append(table);
  card.append(title, wide);
  return card;
}

function fitCells(row, texts, tag) {
  fit(row, [...texts.keys()], index => index, () => element(tag), (cell, index) => {
    if (tag === 'th') cell.scope = 'col';
    say(cell, texts[index]);
    cell.classList.toggle('zero', texts[index] === '0');
  });
}

function showSections(now) {
  fit($('sections'), [...now.sections.keys()], index => index, makeSection, (card, index) => {
    const { scope, title, columns, rows, moreRows } = now.sections[index];
    say(card.querySelector('h2 span'), title);
    say(card.querySelector('h2 small'), 'in ' + scope + (moreRows ? `, and ${plural(moreRows, 'more row')}` : ''));
    fitCells(card.querySelector('thead tr'), columns, 'th');
    fit(card.querySelector('tbody'), [...rows.keys()], row => row, () => element('tr'), (row, at) => fitCells(row, rows[at], 'td'));
  });
  say($('sections-note'), now.moreSections ? `and ${plural(now.moreSections, 'more section')}, which a dump has` : '');
}

// ---- Worklists. ----

const LISTS_MILLIS = 5_000;
let listsAsked = 0;

/** A list whose rows somebody can act on: its card, and the last row of each page before the one that is shown. */
class Worklist {
  constructor(number) {
    this.number = number;
    this.card = makeSection();
    this.before = [];
    this.asked = 0;
    this.outcome = element('p', 'outcome');
    this.outcome.setAttribute('role', 'status');
    this.card.querySelector('h2').after(this.outcome);
    this.card.append(element('p', 'empty', 'Not read yet.'));
  }

  async ask() {
    const mine = ++this.asked;
    let answer;
    try {
      const reply = await fetch(`/worklist?list=${this.number}&after=${this.before.at(-1) ?? ''}`,
        { signal: AbortSignal.timeout(PATIENCE_MILLIS) });
      answer = reply.ok ? await reply.json() : { failed: (await reply.text()).trim() };
    } catch {
      return; // the next sample tells that the server is gone
    }
    if (mine === this.asked) this.show(answer);
  }

  show({ title, actions, first, columns, rows, more, failed }) {
    const empty = this.card.querySelector('.empty');
    if (failed) {
      say(empty, 'The list cannot be read: ' + failed);
      if (title) say(this.card.querySelector('h2 span'), title);
      fit(this.card.querySelector('tbody'), [], row => row.id);
      return;
    }
    if (first) this.before = [];
    if (!rows.length && this.before.pop() !== undefined) { // all rows of the last page have gone
      this.ask();
      return;
    }
    say(this.card.querySelector('h2 span'), title);
    say(empty, 'Nothing is in this list.');
    const number = this.before.length + 1;
    turner(this.card.querySelector('small'), number > 1 ? 'page ' + full(number) : more ? 'the first ' + rows.length : '',
      number > 1 && (() => {
        this.before.pop();
        this.ask();
      }), more && (() => {
        this.before.push(rows.at(-1).id);
        this.ask();
      }));
    fitCells(this.card.querySelector('thead tr'), [...columns, ''], 'th');
    fit(this.card.querySelector('tbody'), rows, row => row.id, row => this.make(row, columns, actions), () => {});
  }

  make(row, columns, actions) {
    const made = element('tr');
    row.cells.forEach((cell, index) => {
      const shown = element('td', '', index ? cell : undefined);
      shown.title = cell;
      if (!index) shown.append(this.button(cell || NO_FIGURE, () => this.look(row, columns, actions)));
      made.append(shown);
    });
    const last = element('td', 'acts');
    last.append(...actions.map(name => this.button(name, () => this.look(row, columns, [name]))));
    made.append(last);
    return made;
  }

  button(text, go) {
    const button = element('button', '', text);
    button.type = 'button';
    button.addEventListener('click', go);
    return button;
  }

  /** Shows all of a row, with what can be done. */
  look(row, columns, names) {
    say($('row-title'), (names.length === 1 ? names[0] + ': ' : '') + row.cells[0]);
    $('row').querySelector('dl').replaceChildren(...columns.flatMap((name, index) => [element('dt', '', name), element('dd', '', row.cells[index])]));
    $('row').querySelector('.actions').replaceChildren(...names.map(name => this.button(name, () => this.act(row, name))));
    for (const button of $('row').querySelectorAll('.actions button')) button.classList.toggle('main', names.length === 1);
    $('row').showModal();
    $('close-row').focus(); // a key that is held down does nothing
  }

  async act(row, name) {
    const buttons = [...$('row').querySelectorAll('.actions button')];
    for (const button of buttons) button.disabled = true;
    let answer;
    try {
      const reply = await fetch(`/worklist?list=${this.number}&row=${row.id}&action=${encodeURIComponent(name)}`,
        { method: 'POST', headers: { 'Content-Type': 'application/json' }, signal: AbortSignal.timeout(PATIENCE_MILLIS) });
      answer = reply.ok ? await reply.json() : { outcome: reply.status === 504 ? UNKNOWN : 'failed', text: `${name} ${row.cells[0]}: ${await reply.text()}` };
    } catch {
      answer = { outcome: UNKNOWN, text: `${name} ${row.cells[0]}: there was no answer. The list shows whether it was done.` };
    }
    this.outcome.className = 'outcome ' + answer.outcome;
    say(this.outcome, answer.text);
    if (buttons[0].isConnected) $('row').close(); // else it shows another row by now
    this.ask();
  }
}

const worklists = [];

function showWorklists(now) {
  while (worklists.length > now.worklists) worklists.pop().card.remove();
  while (worklists.length < now.worklists) {
    worklists.push(new Worklist(worklists.length));
    $('worklists').append(worklists.at(-1).card);
    listsAsked = 0;
  }
  say($('reads'), worklists.length ? '' : 'The page only reads.');
  if (Date.now() - listsAsked < LISTS_MILLIS) return;
  listsAsked = Date.now();
  for (const list of worklists) list.ask();
}

$('close-row').addEventListener('click', () => $('row').close());

// ---- Actors of a scope. ----

let actorsAsked = 0;

async function showActors() {
  if (!chosen) return;
  const mine = ++actorsAsked, scope = chosen;
  let answer;
  try {
    const reply = await fetch(`/actors?scope=${scope}&from=${fromActor}`, { signal: AbortSignal.timeout(PATIENCE_MILLIS) });
    if (!reply.ok) return;
    answer = await reply.json();
  } catch {
    return; // the next sample tells that the server is gone
  }
  if (mine !== actorsAsked) return;
  const limits = answer.limits.map(each => `${each.what}: ${full(each.taken)} of ${full(each.most)}${each.heldBack ? ', ' + full(each.heldBack) + ' held back' : ''}`);
  const lost = Object.entries(answer.lost).map(([cause, number]) => `${full(number)} lost: ${cause}`);
  pages($('actors-note'), answer.from, answer.rows.length, answer.shown, 25, from => {
    fromActor = from;
    showActors();
  }, ['of ' + answer.name, ...limits, ...lost].join(' · '));
  say($('no-actors'), answer.listsAll ? 'No actor of this scope has anything to do.'
    : `No actor with a name has anything to do here. Others are ${UNKNOWN}: the root scope lists only actors with names.`);
  fit($('actors').querySelector('tbody'), answer.rows, actor => actor.name, () => {
    const row = element('tr');
    row.append(element('td'), element('td', 'wide handler'), element('td'), element('td', 'wide'), element('td', 'now'));
    row.lastChild.append(element('b'), element('span'));
    return row;
  }, (row, actor) => {
    const [name, handler, waiting, handled, now] = row.children;
    const work = actor.work[0];
    say(name, actor.name);
    name.title = actor.name;
    say(handler, actor.handler);
    handler.title = actor.type;
    say(waiting, full(actor.waiting));
    waiting.classList.toggle('zero', !actor.waiting);
    say(handled, full(actor.handled));
    const does = actor.waitsFor.length ? 'waits for ' + actor.waitsFor.join(', ')
      : work?.place ? work.place : actor.state;
    say(now.firstChild, does + ' ');
    say(now.lastChild, [work?.message && 'on ' + work.message, work?.lasts && 'for ' + time(work.lasts),
      actor.failed && plural(actor.failed, 'failure'), actor.restarts && plural(actor.restarts, 'restart')]
      .filter(Boolean).join(' · '));
    now.title = now.textContent;
  });
}

// ---- The samples. ----

let paused = false, timer = 0, failures = 0, asking = false, askAgain = false;

function tell(state, text) {
  $('state').dataset.state = state;
  say($('state').lastChild, text);
}

function show(now) {
  if (now.run !== run) {
    run = now.run;
    points = [];
  }
  points = points.concat(now.points);
  if (!points.length) return;
  const start = points.at(-1)[1] - SHOWN_MILLIS;
  points = points.filter(point => point[1] >= start);
  pause = now.pause;
  last = now;
  showSums(now);
  for (const chart of charts) chart.show(points);
  showScopes(now, now.points.length > 0);
  showWaits(now);
  showSlow(now);
  showEvents(now);
  showSections(now);
  showWorklists(now);
  if (now.points.length) showActors();
}

async function ask(isWanted) {
  clearTimeout(timer);
  if (asking && isWanted === true) askAgain = true;
  if (asking || document.hidden || (paused && isWanted !== true)) return;
  asking = true;
  let next = EVERY_MILLIS;
  try {
    const known = points.length ? points.at(-1)[0] : 0;
    const reply = await fetch(`/now?run=${run}&point=${known}&event=${lastEvent}&scopes=${fromScope}`,
      { signal: AbortSignal.timeout(PATIENCE_MILLIS) });
    if (!reply.ok) throw new Error(reply.status === 401 ? 'the token is missing' : 'answer ' + reply.status);
    show(await reply.json());
    failures = 0;
    if (!paused) tell('live', 'live');
  } catch (failure) {
    failures++;
    next = Math.min(LONGEST_PAUSE_MILLIS, failures * EVERY_MILLIS);
    tell('lost', failure instanceof TypeError || failure.name === 'TimeoutError' ? 'no connection' + (paused ? '' : ', trying again') : failure.message);
  } finally {
    asking = false;
  }
  if (askAgain) {
    askAgain = false;
    ask(true);
  } else if (!document.hidden && !paused) timer = setTimeout(ask, next);
}

document.addEventListener('visibilitychange', ask);
addEventListener('resize', () => last && showWaits(last));
narrow.addEventListener('change', () => last && showScopes(last, false));

$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  say($('pause'), paused ? 'Go on' : 'Pause');
  tell(paused ? 'paused' : 'wait', paused ? 'paused' : 'connecting');
  ask();
});

$('show-dump').addEventListener('click', async () => {
  const text = $('dump').querySelector('pre');
  text.textContent = 'reading …';
  $('dump').showModal();
  try {
    const reply = await fetch('/dump.txt', { signal: AbortSignal.timeout(PATIENCE_MILLIS) });
    text.textContent = await reply.text();
  } catch {
    text.textContent = 'There is no connection to the program.';
  }
});
$('close-dump').addEventListener('click', () => $('dump').close());
$('copy-dump').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText($('dump').querySelector('pre').textContent);
    say($('copy-dump'), 'Copied');
  } catch {
    getSelection().selectAllChildren($('dump').querySelector('pre'));
    say($('copy-dump'), 'Selected');
  }
  setTimeout(() => say($('copy-dump'), 'Copy'), 2_000);
});

ask();
