import org.jspecify.annotations.NullMarked;

/**
 * JSON by Jackson 3, for requests, answers and events.
 *
 * <pre>{@code
 * var json = HttpJson.found();
 * var routes = HttpRoutes.none()
 *         .put("/items", call -> json.answer(shop.add(json.read(call, Item.class))))
 *         .failing(HttpProblem.class, json::problem);
 * }</pre>
 *
 * <p>{@link io.fibry.jackson.JacksonFormat} is found by {@link io.fibry.net.HttpJson#found()}.
 * The page {@code docs/json.md} in the source repository has more.
 */
@NullMarked
module io.fibry.jackson {
    requires transitive io.fibry;
    requires transitive tools.jackson.databind;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.jackson;

    provides io.fibry.net.HttpJson with io.fibry.jackson.JacksonFormat;
}
