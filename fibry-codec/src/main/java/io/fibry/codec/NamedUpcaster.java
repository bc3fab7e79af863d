package io.fibry.codec;

import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** An upcaster made of its parts. */
record NamedUpcaster(String type, String becomes, UnaryOperator<ObjectNode> change) implements Upcaster {
    @Override
    public ObjectNode read(ObjectNode old) {
        return change.apply(old);
    }
}
