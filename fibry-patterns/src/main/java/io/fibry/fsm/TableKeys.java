package io.fibry.fsm;

import java.util.ArrayList;
import java.util.List;

/** States and events as they are named in a table: by a value, or by a class that stands for all its values. */
final class TableKeys {
    private TableKeys() {
    }

    static boolean takes(Object key, Object value) {
        return key instanceof Class<?> type ? type.isInstance(value) : key.equals(value);
    }

    /** Whether a key stands for all that another key stands for. */
    static boolean covers(Object key, Object other) {
        if (key instanceof Class<?> type) {
            return other instanceof Class<?> inner ? type.isAssignableFrom(inner) : type.isInstance(other);
        }
        return key.equals(other);
    }

    /** Whether two keys have a value in common. */
    static boolean meet(Object key, Object other) {
        return covers(key, other) || covers(other, key);
    }

    /** The values and classes of which a type consists: constants of enums, and the classes that a sealed type permits. */
    static List<Object> parts(Class<?> type) {
        var found = new ArrayList<Object>();
        addParts(type, found);
        return found;
    }

    private static void addParts(Class<?> type, List<Object> found) {
        if (type.isEnum()) {
            found.addAll(List.of(type.getEnumConstants()));
        } else if (type.isSealed()) {
            for (var permitted : type.getPermittedSubclasses()) {
                addParts(permitted, found);
            }
        } else if (!found.contains(type)) {
            found.add(type);
        }
    }

    static String text(Object key) {
        return switch (key) {
            case Class<?> type -> type.getSimpleName();
            case Enum<?> constant -> constant.name();
            default -> key.toString();
        };
    }
}
