package io.fibry.codec;

import java.util.HashSet;
import java.util.Map;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.node.ObjectNode;
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
        try (var changed = trees.treeAsTokens(tree)) {
            changed.nextToken();
            return shape.readComponents(in.changed(changed));
        }
    }

    private ObjectNode tree(CborInput in) {
        in.expect(JsonToken.START_OBJECT, "the components of a record");
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
}
