package io.fibry.codec;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A sealed interface: the name of the record or enum, then its value. */
record SealedShape(Class<?> type, String name, List<ShapeRef> arguments, Map<Class<?>, String> names,
        Map<String, ShapeRef> known)
        implements
            Shape {
    @Override
    public String label() {
        return RecordShape.label(name, arguments);
    }

    /** The type names that it permits. */
    String permits() {
        return known.keySet().stream().sorted().collect(Collectors.joining(" "));
    }

    @Override
    public void write(CborOutput out, Object value) {
        var type = value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
        var name = names.get(type);
        var shape = name == null ? null : known.get(name);
        if (name == null || shape == null) {
            throw new Fault(type.getName() + " is not permitted in " + this.name);
        }
        out.named(name, shape.shape(), value);
    }

    @Override
    public Object read(CborInput in) {
        return in.named(known, name);
    }
}
