/// The style of the page, for light and dark screens.
let style = """

  :root {
    color-scheme: light dark;
    --ground: light-dark(#f5f6f8, #14161a); --card: light-dark(#fff, #1d2026); --edge: light-dark(#dfe2e8, #2e323b);
    --ink: light-dark(#1b1e24, #e8eaee); --quiet: light-dark(#566072, #a3abb8);
    --up: light-dark(#08693f, #4cc38a); --down: light-dark(#b32a21, #ff8576); --mark: light-dark(#2f5fd0, #7aa2ff);
  }
  * { box-sizing: border-box; margin: 0; }
  body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; padding: 1.5rem; }
  header, main { max-width: 68rem; margin: 0 auto; }
  header p, footer { padding: .5rem 0; max-width: 68rem; margin: 0 auto; }
  h1 { font-size: 1.35rem; }
  h2 { font-size: .95rem; margin-bottom: .6rem; }
  small, .quiet { color: var(--quiet); font-size: .85rem; font-weight: normal; }
  b { color: var(--ink); }
  .pill { border: 1px solid var(--edge); border-radius: 1rem; padding: .1rem .7rem; font-size: .85rem; }
  .good { color: var(--up); } .bad { color: var(--down); }
  main { display: grid; grid-template-columns: 2fr minmax(16rem, 1fr); gap: 1.5rem; }
  @media (max-width: 50rem) { main { grid-template-columns: 1fr; } }
  #prices { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .8rem; }
  .card, #jobs li {
    background: var(--card); border: 1px solid var(--edge); border-radius: .6rem; color: inherit; font: inherit;
  }
  .card { display: grid; grid-template-columns: 1fr auto; padding: .7rem .9rem; text-align: left; cursor: pointer; }
  .card[aria-pressed=true] { border-color: var(--mark); box-shadow: 0 0 0 1px var(--mark); }
  .card.still { border-style: dashed; color: var(--quiet); }
  body.silent main { filter: grayscale(1); color: var(--quiet); }
  body.silent main b { color: var(--quiet); }
  body.silent .vital, body.silent .card, body.silent #jobs li { border-style: dashed; }
  .wide { grid-column: 1 / -1; }
  #vitals { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.2rem, 1fr)); gap: .8rem; }
  .vital { background: var(--card); border: 1px solid var(--edge); border-radius: .6rem; padding: .5rem .8rem; }
  .vital output { font-size: 1.25rem; font-variant-numeric: tabular-nums; display: block; }
  .vital small { display: block; min-height: 2.5em; }
  .vital svg { color: var(--mark); }
  .plot {
    display: grid; grid-template: auto 1fr auto / auto 1fr auto; column-gap: .3rem; align-items: start;
    grid-column: 1 / -1; height: 5rem; margin-top: .3rem;
  }
  .plot small { font-size: .7rem; min-height: 0; line-height: 1.2; font-variant-numeric: tabular-nums; }
  .plot .high, .plot .low { grid-column: 1; text-align: right; }
  .plot .high { grid-row: 1; }
  .plot .low { grid-row: 2; align-self: end; }
  .plot .from { grid-area: 3 / 2; }
  .plot .to { grid-area: 3 / 3; }
  .plot svg {
    grid-area: 1 / 2 / 3 / 4; width: 100%; height: 100%; min-height: 0;
    border-left: 1px solid var(--edge); border-bottom: 1px solid var(--edge);
  }
  .plot polyline { fill: none; stroke: currentColor; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
  .change { grid-column: 1 / -1; font-size: .85rem; }
  .controls { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; padding: .8rem 0 .4rem; }
  .controls label { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
  .controls button, .service {
    font: inherit; font-size: .85rem; color: inherit; background: var(--card); border: 1px solid var(--edge);
    border-radius: .4rem; padding: .25rem .7rem; cursor: pointer;
  }
  button[aria-pressed=true] { border-color: var(--mark); box-shadow: 0 0 0 1px var(--mark); }
  figure { padding-top: .8rem; font-size: .85rem; color: var(--quiet); }
  .file { font-family: monospace; overflow-wrap: anywhere; }
  figure a, header a, footer a { color: inherit; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .3rem 0 .3rem .8rem; color: var(--ink); border-left: 2px solid var(--edge); }
  main > * { min-width: 0; }
  .card .price, #jobs span { font-variant-numeric: tabular-nums; }
  .card .price { font-size: 1.25rem; }
  #jobs { list-style: none; padding: 0; display: grid; gap: .5rem; }
  #jobs li { padding: .5rem .8rem; display: grid; grid-template-columns: 1fr auto; gap: .2rem .5rem; }
  #jobs progress { grid-column: 1 / -1; width: 100%; height: .4rem; accent-color: var(--mark); }

  """
