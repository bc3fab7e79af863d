package io.fibry.codec;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonToken;

/** An enum: the name of the constant. */
record EnumShape(String label, Map<String, Object> constants, Map<Object, String> names) implements Shape {
    static EnumShape of(Class<?> type) {
        var constants = new LinkedHashMap<String, Object>();
        var names = new LinkedHashMap<Object, String>();
        for (var constant : type.getEnumConstants()) {
            var name = ((Enum<?>) constant).name();
            try {
                name = TypeTable.given(type.getField(name), name, type.getName() + "." + name);
            } catch (NoSuchFieldException e) {
                throw new IllegalStateException(type + " has no field for " + name, e);
            }
            if (constants.put(name, constant) != null) {
                throw new Fault("two constants of " + type.getName() + " have the wire name " + name);
            }
            names.put(constant, name);
        }
        return new EnumShape(TypeTable.wireName(type), constants, names);
    }

    Object named(String name) {
        var found = constants.get(name);
        if (found == null) {
            throw new Fault(label + " has no constant " + Texts.quoted(name) + "; it has "
                    + Texts.some(constants.keySet())
                    + ". A constant that was renamed needs @WireName with its old name");
        }
        return found;
    }

    String name(Object constant) {
        var name = names.get(constant);
        if (name == null) {
            throw new Fault("is of " + constant.getClass().getName() + ", not of " + label);
        }
        return name;
    }

    @Override
    public void write(CborOutput out, Object value) {
        out.tokens.writeString(name(value));
    }

    @Override
    public Object read(CborInput in) {
        in.expect(JsonToken.VALUE_STRING, "a constant of " + label);
        return named(in.tokens.getString());
    }
}
