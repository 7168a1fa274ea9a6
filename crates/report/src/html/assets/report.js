'use strict';
// What a page can do beyond being read: values under the pointer, sorting, searching, a theme.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // The tip, for pointer and keyboard alike; screen readers hear it.
  const tip = document.getElementById('tip');
  const hideTip = () => { tip.hidden = true; };
  const showTip = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(4, x + 12), innerWidth - width - 4);
    const top = y - height - 12 < 4 ? y + 16 : y - height - 12;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.min(top, innerHeight - height - 4)}px`;
  };

  // Places that have something to say. A curve is a row of its own; all else makes one row.
  const rowsOf = (holder) => {
    const curves = all('[data-points]', holder).filter(isShown).map((path) => {
      const tips = path.dataset.tips.split('|');
      return path.dataset.points.split(';').map((pair, place) => {
        const [x, y] = pair.split(',').map(Number);
        return { path, x, y, text: tips[place] ?? '' };
      });
    });
    const others = all('[data-tip]', holder).filter(isShown).map((element) => ({ element, text: element.dataset.tip }));
    return [...curves, others].filter((row) => row.length > 0);
  };
  const isShown = (element) => !element.closest('.off');
  const where = (stop) => {
    if (stop.element) {
      const box = stop.element.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    }
    const point = new DOMPoint(stop.x, stop.y).matrixTransform(stop.path.ownerSVGElement.getScreenCTM());
    return [point.x, point.y];
  };

  const point = (() => {
    let marked = null;
    return (stop) => {
      if (marked) marked();
      marked = null;
      if (!stop) return hideTip();
      if (stop.element) {
        stop.element.classList.add('pointed');
        marked = () => stop.element.classList.remove('pointed');
      } else {
        const ring = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
        for (const [name, value] of [['class', 'cursor'], ['cx', stop.x], ['cy', stop.y], ['r', 6]]) ring.setAttribute(name, value);
        stop.path.ownerSVGElement.append(ring);
        marked = () => ring.remove();
      }
      showTip(stop.text, ...where(stop));
    };
  })();

  /** The point of any curve that is nearest to the pointer, within reach of it. */
  const nearest = (svg, event) => {
    const matrix = svg.getScreenCTM();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let best = null;
    let reach = (36 / matrix.a) ** 2;
    for (const stop of rowsOf(svg).flat()) {
      if (stop.element) continue;
      const distance = (stop.x - at.x) ** 2 + (stop.y - at.y) ** 2;
      if (distance < reach) [best, reach] = [stop, distance];
    }
    return best;
  };

  const follow = (holder, event) => {
    const element = event.target.closest('[data-tip]');
    if (element) return point({ element, text: element.dataset.tip });
    const svg = event.target.closest('svg');
    return point(svg ? nearest(svg, event) : null);
  };

  const steppable = (holder) => {
    let [row, place] = [0, -1];
    const step = (event) => {
      const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
      if (event.key === 'Escape') return point(null);
      const move = moves[event.key];
      const rows = rowsOf(holder);
      if (!move || rows.length === 0 || event.target !== holder) return;
      event.preventDefault();
      row = (row + move[0] + rows.length) % rows.length;
      place = Math.min(Math.max(0, place + move[1]), rows[row].length - 1);
      const stop = rows[row][place];
      const [, y] = where(stop);
      if (y < 0 || y > innerHeight) (stop.element ?? stop.path).scrollIntoView({ block: 'center', behavior: 'instant' });
      point(stop);
    };
    holder.tabIndex = 0;
    holder.addEventListener('keydown', step);
    holder.addEventListener('blur', () => point(null));
    holder.addEventListener('pointermove', (event) => follow(holder, event));
    holder.addEventListener('pointerdown', (event) => follow(holder, event));
    holder.addEventListener('pointerleave', () => point(null));
  };

  for (const svg of all('svg.figure')) {
    if (!svg.querySelector('[data-points], [data-tip]')) continue;
    svg.setAttribute('role', 'group');
    svg.setAttribute('aria-description', 'Arrow keys step through the values.');
    steppable(svg);
  }
  for (const words of all('p.stops')) {
    words.setAttribute('role', 'group');
    words.setAttribute('aria-label', 'Words. Arrow keys step through them.');
    steppable(words);
  }

  // Names in a legend hide and show what they name, where there is more than a pair.
  for (const svg of all('svg.figure')) {
    const drawn = (name) => all('.series[data-series]', svg).filter((series) => series.dataset.series === name);
    const entries = all('.legend[data-series]', svg).filter((entry) => drawn(entry.dataset.series).length > 0);
    if (entries.length < 3) continue;
    for (const entry of entries) {
      const toggle = () => {
        const off = entry.classList.toggle('muted');
        entry.setAttribute('aria-pressed', String(!off));
        for (const series of drawn(entry.dataset.series)) series.classList.toggle('off', off);
      };
      entry.setAttribute('role', 'button');
      entry.setAttribute('aria-pressed', 'true');
      entry.setAttribute('aria-label', `Show ${entry.dataset.series}`);
      entry.setAttribute('tabindex', '0');
      entry.addEventListener('click', toggle);
      entry.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        toggle();
      });
    }
  }

  // Rounded numbers show all their digits.
  document.addEventListener('pointerover', (event) => {
    const data = event.target.closest?.('data[value]');
    if (!data) return event.target.closest?.('.stops, svg') ? undefined : hideTip();
    const box = data.getBoundingClientRect();
    showTip(data.value, box.left, box.top);
  });
  addEventListener('scroll', hideTip, { passive: true });

  // Sorting.
  const keyOf = (cell) => {
    const data = cell.querySelector('data');
    const text = (data ? data.value : (cell.querySelector('summary') ?? cell).textContent).trim();
    const number = text === '' ? NaN : Number(text.replace('−', '-').replace('∞', 'Infinity'));
    return { text, number, none: text === '–' || text === '' };
  };
  const compare = (a, b) => {
    if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return a.number < b.number ? -1 : Number(a.number > b.number);
    return a.text.localeCompare(b.text, 'en', { numeric: true });
  };
  const sort = (table, head, column) => {
    const numeric = head.classList.contains('n');
    const was = head.getAttribute('aria-sort');
    const now = was === 'descending' || (!was && !numeric) ? 'ascending' : 'descending';
    for (const other of all('thead th', table)) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', now);
    const sign = now === 'ascending' ? 1 : -1;
    const odd = (key) => key.none || (numeric && Number.isNaN(key.number));
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: keyOf(row.cells[column]) }));
    // What has no value stays at the end, whichever way the others go.
    rows.sort((a, b) => odd(a.key) - odd(b.key) || sign * compare(a.key, b.key));
    table.tBodies[0].append(...rows.map(({ row }) => row));
  };
  for (const table of all('table.sortable')) {
    all('thead th', table).forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => sort(table, head, column));
    });
  }

  // Searching.
  for (const tools of all('.tools')) {
    const items = all('[data-item]', document.getElementById(tools.dataset.for));
    // Of a row, its words: digits within other numbers are no match.
    const words = (item) => (item.cells ? [...item.cells].filter((cell) => !cell.classList.contains('n')) : [item]);
    const texts = items.map((item) => words(item).map((part) => part.textContent).join(' ').toLowerCase());
    const [search, choice, count] = ['input', 'select', 'output'].map((name) => tools.querySelector(name));
    const narrow = () => {
      const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const mark = choice?.value ?? '';
      let shown = 0;
      items.forEach((item, place) => {
        const marked = mark === '' || item.dataset.marks.split(' ').includes(mark);
        item.hidden = !(marked && asked.every((word) => texts[place].includes(word)));
        shown += item.hidden ? 0 : 1;
      });
      count.textContent = `${shown.toLocaleString('en')} of ${items.length.toLocaleString('en')} ${tools.dataset.noun}`;
    };
    search.addEventListener('input', narrow);
    choice?.addEventListener('change', narrow);
    tools.hidden = false;
    narrow();
  }

  // Copying.
  for (const button of all('button[data-copy]')) {
    const source = document.getElementById(button.dataset.copy);
    const marked = () => {
      getSelection().selectAllChildren(source);
      return document.execCommand('copy');
    };
    button.hidden = false;
    button.addEventListener('click', async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(source.textContent.trim());
      } catch {
        done = marked();
      }
      button.textContent = done ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
  }

  // The theme. A page from the disk may be refused a memory.
  const themes = ['system', 'light', 'dark'];
  const remembered = () => {
    try { return localStorage.getItem('guestlist-theme'); } catch { return null; }
  };
  const wear = (theme) => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    try { localStorage.setItem('guestlist-theme', theme); } catch { /* then it lasts as long as the page */ }
  };
  const button = document.getElementById('theme');
  let theme = themes.includes(remembered()) ? remembered() : 'system';
  button.hidden = false;
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    wear(theme);
  });
  wear(theme);

  // On paper nothing opens.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('details.print-open:not([open])');
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });
})();
