// Light or dark: what the reader chose, or else what the system prefers. A file of its own that is loaded
// before anything is shown, so that nothing flashes.
export type Theme = 'system' | 'light' | 'dark';

const place = 'bourse-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function chosen(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system'; // the browser keeps nothing for this page
  }
}

export function choose(theme: Theme): void {
  try {
    localStorage.setItem(place, theme);
  } catch {
    // it holds until the page is left
  }
  apply(theme);
}

function apply(theme: Theme): void {
  // The class is Swagger UI's, which has colors of its own for it.
  document.documentElement.classList.toggle('dark-mode', theme === 'dark' || (theme === 'system' && dark.matches));
}

apply(chosen());
dark.addEventListener('change', () => apply(chosen()));
