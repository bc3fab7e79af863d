package io.fibry.codec;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonToken;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.JsonParserDelegate;
import tools.jackson.dataformat.cbor.CBORParser;

/**
 * Tokens without references to texts, which a codec never writes. Jackson reads them: three bytes then stand for a
 * long text, so that short bytes could take much time and memory.
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
        return token;
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
