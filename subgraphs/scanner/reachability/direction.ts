const DIRECTIONS = ['became_reachable', 'became_unreachable'] as const;

/** Change of a sink's reachability from the base graph to the head graph. */
export type Direction = (typeof DIRECTIONS)[number];

const ALIASES: Readonly<Record<Direction, readonly string[]>> = {
  became_reachable: ['newly_reachable', 'reachable', 'up'],
  became_unreachable: ['newly_unreachable', 'unreachable', 'down'],
};

/** Direction that a request names by its value or an alias (spec 4.4), in any letter case; undefined for another text. */
export const parseDirection = (text: string): Direction | undefined => {
  const name = text.toLowerCase();
  return DIRECTIONS.find((direction) => direction === name || ALIASES[direction].includes(name));
};
