// The search over operations and methods. The slash key leads to it.

/** Lets a field search: the operations by a function of their own, the methods by their elements. */
export function search(field: HTMLInputElement, methods: Element, operations: Promise<(phrase: string) => void>, shown: Promise<void>): void {
  const find = (): void => {
    const phrase = field.value.trim();
    document.body.classList.toggle('searching', phrase !== '');
    operations.then((filter) => filter(phrase)).catch(() => {}); // that they cannot be shown is said in their place
    filter(methods, phrase.toLowerCase());
  };
  field.addEventListener('input', find);
  shown.then(find).catch(() => {});
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

/** Hides the methods that do not have a phrase, and groups without any. */
function filter(methods: Element, phrase: string): void {
  for (const group of methods.querySelectorAll<HTMLElement>('.group')) {
    let found = false;
    for (const method of group.querySelectorAll<HTMLElement>('.method')) {
      method.hidden = !method.dataset.search?.includes(phrase);
      found ||= !method.hidden;
    }
    group.hidden = !found;
  }
}
