package io.fibry.codec;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.Named;
import tools.jackson.dataformat.cbor.CBORFactory;

/** A record: its components by their names. Missing ones are empty or null where permitted; unknown ones are skipped. */
record RecordShape(String name, List<ShapeRef> arguments, ShapeRef self, Constructor<?> constructor,
        List<RecordPart> parts,
        PropertyNameMatcher places) implements Shape {
    private static final CBORFactory TOKENS = new CBORFactory();

    /** Finds the place of a component by the bytes of its name, without a text of it. */
    static PropertyNameMatcher places(Collection<String> names) {
        return TOKENS.constructNameMatcher(names.stream().map(Named::fromString).toList(), false);
    }

    static String label(String name, List<ShapeRef> arguments) {
        return arguments.isEmpty() ? name
                : arguments.stream().map(ShapeRef::label).collect(Collectors.joining(", ", name + '<', ">"));
    }

    @Override
    public String label() {
        return label(name, arguments);
    }

    @Override
    public void write(CborOutput out, Object value) {
        if (value.getClass() != constructor.getDeclaringClass()) {
            throw new Fault("is of " + value.getClass().getName() + ", not of "
                    + constructor.getDeclaringClass().getName());
        }
        out.enter();
        out.tokens.writeStartObject();
        for (var part : parts) {
            try {
                part.write(out, value);
            } catch (Fault e) {
                throw e.within(part.name());
            }
        }
        out.tokens.writeEndObject();
        out.leave();
    }

    @Override
    public Object read(CborInput in) {
        return in.changes(name) ? in.withName(name, Map.of(name, self), name) : readComponents(in);
    }

    Object readComponents(CborInput in) {
        in.expect(JsonToken.START_OBJECT, "the components of " + name);
        in.enter();
        var values = new @Nullable Object[parts.size()];
        var seen = new boolean[parts.size()];
        int place;
        while ((place = in.tokens.nextNameMatch(places)) != PropertyNameMatcher.MATCH_END_OBJECT) {
            if (place == PropertyNameMatcher.MATCH_ODD_TOKEN) {
                throw in.unexpected("a component of " + name);
            }
            var component = place < 0 ? in.tokens.currentName() : parts.get(place).name();
            try {
                in.tokens.nextToken();
                if (place < 0) {
                    in.tokens.skipChildren();
                    continue;
                }
                if (seen[place]) {
                    throw new Fault("occurs twice in a " + name);
                }
                seen[place] = true;
                values[place] = parts.get(place).read(in);
            } catch (Fault e) {
                throw e.within(place < 0 ? Texts.quoted(component) : component);
            } catch (JacksonException e) {
                throw Fault.broken(e).within(place < 0 ? Texts.quoted(component) : component);
            }
        }
        for (int i = 0; i < parts.size(); i++) {
            if (!seen[i]) {
                values[i] = parts.get(i).missing(name);
            }
        }
        in.leave();
        return make(values);
    }

    private Object make(@Nullable Object[] values) {
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new Fault("the constructor of " + name + " refuses the components: " + e.getCause(),
                    e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new Fault("a " + name + " cannot be made: " + e, e);
        }
    }
}
