import { invalid } from '@landfall/kernel/core/fault';
import Type from 'typebox';
import { LANGUAGES, type Language, parseLanguage } from '../reachability/language.ts';

/** Language where a request names none (spec 4.4). */
const DEFAULT_LANGUAGE = 'dotnet';

/** Field of an input that names a language. */
export const languageField = Type.Optional(Type.String());

/** Language of an input, by name or alias. @throws Fault VAL_INVALID_VALUE that lists the canonical languages (spec 7.3) */
export const languageOf = (text: string = DEFAULT_LANGUAGE): Language => {
  const language = parseLanguage(text);
  if (language !== undefined) return language;
  const message = `The language must be one of ${LANGUAGES.join(', ')}, or an alias of one.`;
  throw invalid([{ field: 'language', message, code: 'VAL_INVALID_VALUE' }]);
};

/** Types of package URLs whose code is in each language. */
const PURL_TYPES: Readonly<Record<Language, readonly string[]>> = {
  dotnet: ['nuget'],
  java: ['maven'],
  go: ['golang'],
  python: ['pypi'],
  node: ['npm'],
  bun: ['npm'],
  deno: ['npm'],
  php: ['composer'],
  ruby: ['gem'],
  rust: ['cargo'],
};

export const purlTypesOf = (language: Language): readonly string[] => PURL_TYPES[language];
