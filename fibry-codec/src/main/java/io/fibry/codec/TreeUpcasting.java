package io.fibry.codec;

import java.util.HashSet;
import java.util.Map;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.TreeTraversingParser;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Some types have an upcaster, which changes a tree of Jackson's. */
final class TreeUpcasting implements Upcasting {
    private final CBORMapper trees;
    private final Map<String, Upcaster> upcasters;

    TreeUpcasting(CBORFactory factory, Map<String, Upcaster> upcasters) {
        this.upcasters = upcasters;
        trees = CBORMapper.builder(factory).enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
    }

    @Override
    public boolean changes(String name) {
        return upcasters.containsKey(name);
    }

    @Override
    public Object read(CborInput in, String written, Map<String, ShapeRef> known, String of) {
        var tree = tree(in);
        var name = written;
        var done = new HashSet<String>();
        while (done.add(name)) {
            var upcaster = upcasters.get(name);
            if (upcaster != null) {
                tree = upcast(upcaster, tree);
                name = upcaster.becomes();
            }
        }
        if (!(CborInput.find(name, known, of) instanceof RecordShape shape)) {
            throw new Fault("the upcaster of " + written + " makes it " + name + ", which is no record");
        }
        return in.changed(new TreeTokens(tree), shape);
    }

    /**
     * The components of a record. Those of one that lies in a tree already are taken from it, so that bytes become a tree once,
     * however deep they nest: each level copies only the references to its own components, which an upcaster may change although
     * another one has put them at two places.
     */
    private ObjectNode tree(CborInput in) {
        in.expect(JsonToken.START_OBJECT, "the components of a record");
        if (in.tokens instanceof TreeTokens outer) {
            return trees.createObjectNode().setAll((ObjectNode) outer.take());
        }
        if (trees.readTree(in.tokens) instanceof ObjectNode object) {
            return object;
        }
        throw new Fault("expected the components of a record");
    }

    private static ObjectNode upcast(Upcaster upcaster, ObjectNode tree) {
        ObjectNode changed;
        try {
            changed = upcaster.read(tree);
        } catch (RuntimeException e) {
            throw new Fault("the upcaster of " + upcaster.type() + " threw " + e, e);
        }
        if (changed == null) {
            throw new Fault("the upcaster of " + upcaster.type() + " gave null instead of the components");
        }
        return changed;
    }

    /** The tokens of a tree. */
    private static final class TreeTokens extends TreeTraversingParser {
        TreeTokens(ObjectNode tree) {
            super(tree);
        }

        /** Returns what begins at the current token, which becomes its last one. */
        JsonNode take() {
            skipChildren();
            return currentNode();
        }
    }
}
