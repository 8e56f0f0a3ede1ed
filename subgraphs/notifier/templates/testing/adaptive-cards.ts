import { createRequire } from 'node:module';

/** Part of Microsoft's renderer that validates; its package has no entry point that Node and TypeScript both read. */
interface Renderer {
  readonly AdaptiveCard: new () => {
    parse(card: unknown, context: SerializationContext): void;
    validateProperties(): { readonly validationEvents: readonly { readonly message: string }[] };
  };
  readonly SerializationContext: new () => SerializationContext;
  readonly CardElement: { readonly langProperty: object };
}

interface SerializationContext {
  readonly eventCount: number;
  getEventAt(index: number): { readonly message: string };
}

const renderer: Renderer = createRequire(import.meta.url)('adaptivecards/dist/adaptivecards.js');

// The expression of the library is global, so that it refuses every second use of `lang`.
Reflect.set(renderer.CardElement.langProperty, 'regEx', /^[a-z]{2,3}$/i);

/** Mistakes that the renderer finds in a card. */
export const cardMistakes = (card: unknown): string[] => {
  const context = new renderer.SerializationContext();
  const parsed = new renderer.AdaptiveCard();
  parsed.parse(card, context);
  const parsing = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  const { validationEvents } = parsed.validateProperties();
  return [...parsing, ...validationEvents.map(({ message }) => message)];
};
