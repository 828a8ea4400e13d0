// Making elements. Text goes in as text, never as markup.
type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button that does something. */
export function button(text: string, attributes: Record<string, string>, act: () => void): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

/** Prose whose `code` is marked with backquotes, and **bold** with stars, as the descriptions of the API have it. */
export function prose(text: string): HTMLElement {
  const paragraph = el('p');
  for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)) {
    if (part.startsWith('`')) paragraph.append(el('code', {}, part.slice(1, -1)));
    else if (part.startsWith('**')) paragraph.append(el('b', {}, part.slice(2, -2)));
    else paragraph.append(part);
  }
  return paragraph;
}
