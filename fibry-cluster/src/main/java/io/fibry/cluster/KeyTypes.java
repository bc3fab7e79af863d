package io.fibry.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The types that keys may have: those whose bytes are the same for equal keys, in each process. */
final class KeyTypes {
    private static final Set<Class<?>> VALUES =
            Set.of(String.class, Long.class, Integer.class, UUID.class, long.class, int.class);

    private KeyTypes() {
    }

    /** Throws an exception if keys of a group may not have this type. */
    static void check(String group, Class<?> type) {
        check(group, type, type.getSimpleName(), List.of());
    }

    private static void check(String group, Class<?> type, String where, List<Class<?>> outer) {
        if (VALUES.contains(type) || type.isEnum()) {
            return;
        }
        if (!type.isRecord() || outer.contains(type)) {
            throw new ClusterException(
                    "The keys of the group '" + group + "' cannot cross: " + where + " is a "
                            + type.getName()
                            + "; a key is a String, Long, Integer, UUID, an enum, or a record of these");
        }
        for (var part : type.getRecordComponents()) {
            var deeper = new ArrayList<>(outer);
            deeper.add(type);
            check(group, part.getType(), where + "." + part.getName(), deeper);
        }
    }
}
