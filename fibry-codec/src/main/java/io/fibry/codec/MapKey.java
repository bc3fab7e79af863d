package io.fibry.codec;

import java.time.LocalDate;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** How keys of maps are written: as text. */
record MapKey(String label, Class<?> type, Function<Object, String> writer, Function<String, Object> reader) {
    private static final Map<Class<?>, MapKey> VALUES = Map.of( //
            String.class, new MapKey("String", String.class, Object::toString, text -> text), //
            Integer.class, new MapKey("int", Integer.class, Object::toString, Integer::valueOf), //
            Long.class, new MapKey("long", Long.class, Object::toString, Long::valueOf), //
            UUID.class, new MapKey("UUID", UUID.class, Object::toString, UUID::fromString), //
            LocalDate.class, new MapKey("LocalDate", LocalDate.class, Object::toString, LocalDate::parse));

    static MapKey of(Class<?> type, Shape shape) {
        var known = VALUES.get(type);
        if (known != null) {
            return known;
        }
        if (shape instanceof EnumShape constants) {
            return new MapKey(constants.label(), type, constants::name, constants::named);
        }
        throw new Fault("a map cannot have keys of " + type.getName()
                + ", but String, Integer, Long, UUID, LocalDate or an enum: use a List of a record that has key and value");
    }

    String write(Object key) {
        if (!type.isInstance(key)) {
            throw new Fault("has a key of " + key.getClass().getName() + ", not of " + label);
        }
        return Texts.wellFormed(writer.apply(key));
    }

    Object read(String text) {
        Object key;
        try {
            key = reader.apply(Texts.wellFormed(text));
        } catch (Fault e) {
            throw e;
        } catch (RuntimeException e) {
            // Without the cause, whose message may have the whole text.
            throw new Fault("the key " + Texts.quoted(text) + " is no " + label);
        }
        // Two texts of one key, as 1 and 01, would hide that a key occurs twice.
        if (!writer.apply(key).equals(text)) {
            throw new Fault("the key " + Texts.quoted(text) + " is no " + label + " as it is written");
        }
        return key;
    }
}
