package io.fibry.codec;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A class with the types that its variables stand for. */
record TypeUse(Class<?> raw, List<TypeUse> arguments) {
    static TypeUse of(Class<?> raw) {
        return new TypeUse(raw, List.of());
    }

    static TypeUse of(Type type, Map<TypeVariable<?>, TypeUse> bound) {
        return switch (type) {
            case Class<?> raw -> of(raw);
            case ParameterizedType generic -> {
                var arguments = new ArrayList<TypeUse>();
                for (var argument : generic.getActualTypeArguments()) {
                    arguments.add(of(argument, bound));
                }
                yield new TypeUse((Class<?>) generic.getRawType(), List.copyOf(arguments));
            }
            case WildcardType wildcard -> of(wildcard.getUpperBounds()[0], bound);
            case TypeVariable<?> variable -> {
                var known = bound.get(variable);
                if (known == null) {
                    throw new Fault("its type " + variable
                            + " is not known here: use a type with arguments, as in a component List<String>");
                }
                yield known;
            }
            default -> throw new Fault("arrays of generic types cannot be written: use a List");
        };
    }

    /** How many types are inside one another, with this one. */
    int depth() {
        var deepest = 0;
        for (var argument : arguments) {
            deepest = Math.max(deepest, argument.depth());
        }
        return deepest + 1;
    }

    /** What the variables of the class stand for. */
    Map<TypeVariable<?>, TypeUse> bound() {
        var variables = raw.getTypeParameters();
        var result = new HashMap<TypeVariable<?>, TypeUse>();
        for (int i = 0; i < arguments.size(); i++) {
            result.put(variables[i], arguments.get(i));
        }
        return result;
    }

    /** A class that this sealed interface permits, with its variables as this use of the interface demands. */
    TypeUse permitted(Class<?> subtype) {
        var variables = subtype.getTypeParameters();
        if (variables.length == 0) {
            return of(subtype);
        }
        var found = new HashMap<TypeVariable<?>, TypeUse>();
        for (var parent : subtype.getGenericInterfaces()) {
            if (parent instanceof ParameterizedType generic && generic.getRawType() == raw) {
                for (int i = 0; i < arguments.size(); i++) {
                    if (generic.getActualTypeArguments()[i] instanceof TypeVariable<?> variable) {
                        found.put(variable, arguments.get(i));
                    }
                }
            }
        }
        var result = new ArrayList<TypeUse>();
        for (var variable : variables) {
            var known = found.get(variable);
            if (known == null) {
                throw new Fault("the type " + variable + " of " + subtype.getName() + " does not follow from "
                        + this
                        + ": make it a variable of " + raw.getSimpleName() + ", and use that with arguments");
            }
            result.add(known);
        }
        return new TypeUse(subtype, List.copyOf(result));
    }

    @Override
    public String toString() {
        if (arguments.isEmpty()) {
            return raw.getTypeName();
        }
        return raw.getTypeName() + arguments.toString().replace('[', '<').replace(']', '>');
    }
}
