/** The items of a list value. Commas and spaces separate, but not within parentheses: `Read,Bash(git add, git *)`. */
export function splitList(text: string): string[] {
  const items: string[] = [];
  let item = '';
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')' && depth > 0) depth -= 1;
    if (depth === 0 && (character === ',' || /\s/.test(character))) {
      if (item !== '') items.push(item);
      item = '';
    } else {
      item += character;
    }
  }
  if (item !== '') items.push(item);
  return items;
}
