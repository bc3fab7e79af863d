package io.fibry.codec;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.JsonParserDelegate;
import tools.jackson.dataformat.cbor.CBORParser;

/**
 * Tokens without references to texts and decimal fractions, which a codec never writes. Jackson reads them: three bytes then
 * stand for a long text, or a few for a number of millions of digits, so that short bytes could take much time and memory.
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
    public int nextNameMatch(PropertyNameMatcher names) {
        int place = tokens.nextNameMatch(names);
        refuseReferences();
        return place;
    }

    /** The inner parser would skip by tokens that nobody looks at. */
    @Override
    public JsonParser skipChildren() {
        int open = 0;
        for (var token = currentToken(); token != null; token = nextToken()) {
            open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (open <= 0) {
                break;
            }
        }
        return this;
    }

    private void refuseReferences() {
        if (tokens.getCurrentTags().contains(NAMESPACE)) {
            throw new Fault("references to texts are not read: they are no bytes of a codec");
        }
    }
}
