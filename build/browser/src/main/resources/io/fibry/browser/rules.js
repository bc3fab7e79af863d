// What holds on every page, at every size and in light and dark colours. The value is a list of breaches, empty if there is none.
(() => {
  const LIGHT = { back: '#f4f6f8', card: '#ffffff', line: '#dde3e9' }, DARK = { back: '#0e1318', card: '#171e25', line: '#2a3540' };
  const colours = matchMedia('(prefers-color-scheme: dark)').matches ? DARK : LIGHT;
  const desktop = innerWidth > 640;
  const breaches = [];
  const name = each => each.tagName.toLowerCase() + (each.id ? '#' + each.id : '') + (each.className && typeof each.className === 'string' ? '.' + each.className.trim().replace(/ +/g, '.') : '');
  const breach = (rule, at, how) => breaches.push(rule + ': ' + (at ? name(at) + ' ' : '') + how);
  const all = selector => [...document.querySelectorAll(selector)].filter(each => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const box = each => each.getBoundingClientRect();

  // What is seen: texts, and elements that are drawn or typed into.
  const boxOf = node => { const range = document.createRange(); range.selectNodeContents(node); return range.getBoundingClientRect(); };
  const texts = within => {
    const found = [], walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (node.data.trim() && !parent.closest('script, style, noscript, title, desc') && parent.checkVisibility({ visibilityProperty: true })) found.push(node);
    }
    return found;
  };
  const seen = within => [...texts(within).map(node => [node.parentElement, boxOf(node)]),
    ...[...within.querySelectorAll('canvas, svg, input, button, img, .plot, .bar, i')].filter(each => each.checkVisibility()).map(each => [each, box(each)])]
    .filter(([, place]) => place.width > 0 && place.height > 0);
  const scrolls = each => /auto|scroll/.test(getComputedStyle(each).overflowY + getComputedStyle(each).overflowX);
  const scrolled = each => { for (let at = each; at && at !== document.body; at = at.parentElement) if (scrolls(at)) return at; return null; };

  /** Whether a text that is too long ends with three dots. */
  const shortened = each => { for (let at = each; at && at !== document.body; at = at.parentElement) if (getComputedStyle(at).textOverflow === 'ellipsis') return true; return false; };

  // Nothing is wider than the window, unless it scrolls in a box of its own.
  if (document.documentElement.scrollWidth > innerWidth) breach('width', null, 'the page is ' + document.documentElement.scrollWidth + ' wide');
  for (const [at, place] of seen(document.body)) {
    if (!scrolled(at) && !shortened(at) && place.right > innerWidth + 1) breach('width', at, 'ends at ' + Math.round(place.right));
  }

  // No card is higher than what it shows, unless a card beside it needs the height.
  const cards = all('.card').map(card => {
    const style = getComputedStyle(card), end = box(card).bottom - parseFloat(style.paddingBottom);
    const inside = seen(card).map(([at, place]) => Math.min(place.bottom, scrolled(at) ? box(scrolled(at)).bottom : Infinity));
    return { card, bottom: box(card).bottom, free: inside.length ? end - Math.max(...inside) : Infinity };
  });
  for (const { card, bottom } of cards) {
    // Something is there below the heading, be it a sentence.
    if (card.children.length && ![...card.children].some(each => !/^(H[1-6]|FIGCAPTION)$/.test(each.tagName) && each.checkVisibility() && (each.innerText?.trim() || seen(each).length || each.matches('canvas, svg, .plot'))))
      breach('empty card', card, 'has nothing but a heading');
    if (card.matches('[data-fills]')) continue; // a log that fills the window
    const least = Math.min(...cards.filter(each => Math.abs(each.bottom - bottom) < 3).map(each => each.free));
    if (least > 40) breach('empty card', card, 'has ' + Math.round(least) + ' pixels of nothing');
  }

  // What does not fit its box can be scrolled to; the last row of a list, and the end of the page, are not cut.
  for (const each of all('body *')) {
    const style = getComputedStyle(each);
    if (/hidden|clip/.test(style.overflowY) && each.scrollHeight > each.clientHeight + 2 && each.clientHeight > 2 && style.textOverflow !== 'ellipsis' && !each.closest('svg'))
      breach('clipped', each, 'shows ' + each.clientHeight + ' of ' + each.scrollHeight);
    if (/hidden|clip/.test(style.overflowX) && each.scrollWidth > each.clientWidth + 2 && each.clientWidth > 2 && !shortened(each) && !each.closest('svg'))
      breach('clipped', each, 'shows ' + each.clientWidth + ' of ' + each.scrollWidth);
    if (scrolls(each) && each.lastElementChild && each.scrollHeight > each.clientHeight) {
      const before = each.scrollTop;
      each.scrollTop = each.scrollHeight;
      if (box(each.lastElementChild).bottom > box(each).bottom + 1) breach('clipped', each, 'ends within its last row');
      each.scrollTop = before;
      const fades = getComputedStyle(each).maskImage !== 'none' || getComputedStyle(each.parentElement).maskImage !== 'none';
      for (const row of fades ? [] : each.querySelectorAll('li, tr')) {
        if (box(row).top < box(each).bottom - 4 && box(row).bottom > box(each).bottom + 4) breach('clipped', each, 'ends within a row, and does not fade');
      }
    }
  }
  const end = Math.max(...seen(document.body).filter(([at]) => !scrolled(at)).map(([, place]) => place.bottom)) + scrollY;
  if (end > document.documentElement.scrollHeight - 8) breach('clipped', null, 'the page ends ' + Math.round(document.documentElement.scrollHeight - end) + ' pixels after what it shows');

  // A legend is above the fold.
  for (const legend of all('.legend')) {
    if (desktop && box(legend).bottom + scrollY > innerHeight) breach('legend', legend, 'ends at ' + Math.round(box(legend).bottom));
  }

  // One thing is not "1 things", and two are not "2 thing".
  const nouns = 'actor|answer|class|command|customer|device|event|failure|message|node|order|person|processor|reading|restart|room|row|sample|scope|timer|trade';
  const shown = all('body')[0].innerText;
  for (const wrong of [new RegExp('(?<![\\d.,])1 (?:more )?(?:' + nouns + ')e?s\\b', 'g'), new RegExp('(?:\\b0|(?<![\\d.,])[2-9]|\\d[\\d.,]*\\d) (?:more )?(?:' + nouns + ')\\b(?! of)', 'g')]) {
    for (const found of shown.match(wrong) ?? []) breach('number', null, '"' + found + '"');
  }

  // What is not known is "–", and its neighbour or its title says why. No other word of the language gets onto the page.
  for (const found of shown.match(/\b(NaN|undefined|null|Infinity|\[object \w+\])/g) ?? []) breach('unknown', null, '"' + found + '"');
  for (const node of texts(document.body)) {
    const at = node.parentElement, text = node.data.trim();
    if (/^(…|\?|-|—|unknown)$/.test(text)) breach('unknown', at, 'is "' + text + '" and not "–"');
    const why = (at.closest('[title]')?.title ?? '') + ' ' + (at.matches('td, th') ? '' : at.parentElement.innerText);
    if (text === '–' && !/\b(no|not|none|nobody|takes|unknown|yet)\b/i.test(why)) breach('unknown', at, 'does not say why it is "–"');
  }

  // Texts stand out from what is behind them.
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const behind = at => {
    const layers = [];
    for (let each = at; each; each = each.parentElement) {
      const layer = rgba(getComputedStyle(each).backgroundColor);
      layers.push(layer);
      if (layer[3] === 1) break;
    }
    return layers.reverse().reduce((under, [r, g, b, a]) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a)), [255, 255, 255]);
  };
  const light = rgb => rgb.slice(0, 3).map(c => c / 255).map(c => c <= .04 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  for (const node of texts(document.body)) {
    const at = node.parentElement;
    if (at.closest('svg, :disabled')) continue;
    const [a, b] = [light(rgba(getComputedStyle(at).color)), light(behind(at))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) breach('contrast', at, '"' + node.data.trim().slice(0, 20) + '" has ' + ((a + .05) / (b + .05)).toFixed(2) + ' of 4.5');
  }

  // All pages look alike.
  const alike = (selector, wanted) => {
    for (const each of all(selector)) for (const [property, value] of Object.entries(wanted)) {
      const now = getComputedStyle(each)[property], same = value.startsWith('#') ? rgba(now).join() === rgba(value).join() : now === value;
      if (!same) breach('look', each, property + ' is ' + now + ' and not ' + value);
    }
  };
  alike('body', { fontFamily: 'system-ui, sans-serif', fontSize: '15px', backgroundColor: colours.back });
  alike('h1', { fontSize: '22px', fontFamily: 'system-ui, sans-serif' });
  alike('h2', { fontSize: '13px', fontWeight: '600' });
  alike('.card', { borderBottomLeftRadius: '14px', borderBottomColor: colours.line, backgroundColor: colours.card });
  for (const each of all('button, input:not([type=radio])')) if (getComputedStyle(each).borderTopWidth !== '0px') each.setAttribute('data-framed', '');
  alike('[data-framed]', { fontFamily: 'system-ui, sans-serif', borderTopLeftRadius: '10px' });
  alike('input:not([type=radio])', { fontSize: '15px' });
  alike('#state', { fontSize: '14px' });
  for (const missing of ['h1', '#state'].filter(each => !document.querySelector(each))) breach('look', null, 'there is no ' + missing);
  return [...new Set(breaches)].join('\n');
})()
