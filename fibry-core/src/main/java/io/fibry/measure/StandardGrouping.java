package io.fibry.measure;

import java.util.Optional;
import java.util.function.BiFunction;

/** The groupings of the library. */
enum StandardGrouping implements BiFunction<Class<?>, Optional<String>, String> {
    BY_HANDLER {
        @Override
        public String apply(Class<?> handler, Optional<String> name) {
            return OF_CLASSES.get(handler);
        }
    },
    BY_NAME {
        @Override
        public String apply(Class<?> handler, Optional<String> name) {
            var prefix = name.map(StandardGrouping::prefix).orElse("");
            return prefix.isEmpty() ? OF_CLASSES.get(handler) : prefix;
        }
    };

    private static final ClassValue<String> OF_CLASSES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> handler) {
            return withoutLambda(handler.getName());
        }
    };

    /** Returns the name of the class in which a lambda is written. Other names are returned as they are. */
    private static String withoutLambda(String name) {
        var lambda = name.indexOf("$$");
        return lambda <= 0 ? name : name.substring(0, lambda);
    }

    private static String prefix(String name) {
        for (int i = 0; i < name.length(); i++) {
            var each = name.charAt(i);
            if (Character.isDigit(each) || each == '/' || each == '-') {
                return name.substring(0, i);
            }
        }
        return name;
    }
}
