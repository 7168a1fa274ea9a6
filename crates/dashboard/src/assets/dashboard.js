// Small things that make the pages quicker to use. Every page works without them.
'use strict';

(() => {
  const $ = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Choices take effect at once.
  document.addEventListener('change', (event) => {
    const choice = event.target.closest('select[data-submit]');
    if (choice) choice.form.requestSubmit();
    if (event.target.matches('input[name="run"]')) countTicks();
  });

  // Exactly two audits can be compared.
  const countTicks = () => {
    const ticks = $('input[name="run"]');
    const ticked = ticks.filter((tick) => tick.checked).length;
    for (const tick of ticks) tick.disabled = ticked >= 2 && !tick.checked;
    for (const button of $('button[data-two]')) button.disabled = ticked !== 2;
  };

  // What a mark says, beside the pointer or the mark that has the focus.
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  tip.setAttribute('role', 'tooltip');
  const showTip = (mark) => {
    if (!mark) {
      tip.hidden = true;
      return;
    }
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const place = (mark.querySelector('.mark') ?? mark).getBoundingClientRect();
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    const left = Math.max(8, Math.min(place.left + place.width / 2 - tip.offsetWidth / 2, room));
    const above = place.top - tip.offsetHeight - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 0 ? above : place.bottom + 8}px`;
  };
  document.addEventListener('pointerover', (event) => showTip(event.target.closest?.('[data-tip]')));
  document.addEventListener('focusin', (event) => showTip(event.target.closest?.('[data-tip]')));
  document.addEventListener('focusout', () => showTip(null));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') showTip(null);
  });

  // Parts of the page that change while audits run, fetched anew and put in place.
  let waiting = null;
  const refresh = (pause) => {
    waiting ??= setTimeout(async () => {
      waiting = null;
      try {
        const answer = await fetch(location.href);
        if (!answer.ok) return;
        const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
        for (const part of $('[data-live]')) {
          const other = fresh.getElementById(part.id);
          const busy = part.contains(document.activeElement) || part.querySelector('input:checked');
          if (other && !busy && other.innerHTML !== part.innerHTML) part.replaceWith(other);
        }
        countTicks();
        readOn();
      } catch {
        // The server is gone; the next event says when it is back.
      }
    }, pause);
  };

  // The first look at a large folder takes a moment: show more as it comes.
  const readOn = () => {
    if (document.querySelector('[data-reading="yes"]')) refresh(700);
  };

  const move = (line, news) => {
    const bar = line.querySelector('progress');
    if (bar && news.total > 0) {
      bar.max = news.total;
      bar.value = Math.min(news.done, news.total);
    }
    line.querySelector('.words').textContent = news.words;
  };

  const listen = (place) => {
    const events = new EventSource(place);
    events.addEventListener('progress', (event) => {
      const news = JSON.parse(event.data);
      const line = document.querySelector(`[data-progress="${CSS.escape(news.path)}"]`);
      if (line && line.dataset.state === news.state) move(line, news);
      else if (line || news.state === 'running') refresh(news.state === 'finished' ? 1200 : 200);
    });
    addEventListener('pagehide', () => events.close());
  };

  document.body.append(tip);
  countTicks();
  readOn();
  for (const place of $('[data-events]')) listen(place.dataset.events);
})();
