package io.fibry.net;

import java.util.Objects;

/**
 * The name and type of a value that filters leave at a request for its handler. Two attributes are never the same,
 * whatever their names, so an attribute is kept in a constant.
 *
 * <pre>{@code
 * static final HttpAttribute<User> USER = HttpAttribute.named("user");
 *
 * routes.before(call -> call.put(USER, users.of(call)))
 *       .get("/me", call -> HttpAnswer.text(call.attribute(USER).orElseThrow().name()))
 * }</pre>
 *
 * @param <T> the type of the value
 */
@SuppressWarnings("UnusedTypeParameter") // it is for HttpCall, which puts and returns values of this type
public final class HttpAttribute<T> {
    private final String name;

    private HttpAttribute(String name) {
        this.name = name;
    }

    /**
     * Returns a new attribute.
     *
     * @param <T> the type of the value
     * @param name a name for people
     * @return the attribute
     */
    public static <T> HttpAttribute<T> named(String name) {
        return new HttpAttribute<>(Objects.requireNonNull(name, "name"));
    }

    @Override
    public String toString() {
        return name;
    }
}
