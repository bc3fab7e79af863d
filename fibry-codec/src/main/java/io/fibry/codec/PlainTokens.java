package io.fibry.codec;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.JsonParserDelegate;
import tools.jackson.dataformat.cbor.CBORParser;

/**
 * Tokens without what a codec never writes, and Jackson reads: references to texts, by which three bytes stand for a long
 * text, and decimal fractions, which are as long as their exponent says. Short bytes could take much time and memory.
 * What is skipped or becomes a tree is looked at as well.
 */
final class PlainTokens extends JsonParserDelegate {
    /** Begins a value in which texts may be referred to. */
    private static final int NAMESPACE = 256;

    private final CBORParser tokens;

    PlainTokens(CBORParser tokens) {
        super(tokens);
        this.tokens = tokens;
    }

    @Override
    public @Nullable JsonToken nextToken() {
        var token = tokens.nextToken();
        refuseReferences();
        if (token == JsonToken.VALUE_NUMBER_FLOAT && tokens.getNumberTypeFP() == NumberTypeFP.BIG_DECIMAL) {
            throw new Fault("decimal fractions are not read: they are no bytes of a codec");
        }
        return token;
    }

    @Override
    public @Nullable String nextName() {
        return nextToken() == JsonToken.PROPERTY_NAME ? currentName() : null;
    }

    @Override
    public JsonParser skipChildren() {
        var token = currentToken();
        for (int open = 0; token != null; token = nextToken()) {
            open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (open <= 0) {
                break;
            }
        }
        return this;
    }

    @Override
    public int nextNameMatch(PropertyNameMatcher names) {
        int place = tokens.nextNameMatch(names);
        refuseReferences();
        return place;
    }

    private void refuseReferences() {
        if (tokens.getCurrentTags().contains(NAMESPACE)) {
            throw new Fault("references to texts are not read: they are no bytes of a codec");
        }
    }
}
