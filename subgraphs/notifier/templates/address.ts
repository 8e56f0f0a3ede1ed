/** Absolute address of a text if programs may open it; empty otherwise. */
export const safeAddress = (text: string): string => {
  const address = text.trim();
  if (!/^(?:https?|mailto):/i.test(address) || !URL.canParse(address)) return '';
  // Characters that end a link in mrkdwn or Markdown.
  return new URL(address).href.replace(
    /[|<>()[\]"'`\s]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
};
