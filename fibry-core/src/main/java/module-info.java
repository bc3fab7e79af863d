import org.jspecify.annotations.NullMarked;

/**
 * Fibry: actors as plain blocking Java.
 *
 * <p>Start at {@link io.fibry.ActorSystem} or {@link io.fibry.Stereotypes}.
 */
@NullMarked
@SuppressWarnings("module") // fibry-web is compiled later and may be absent
module io.fibry {
    requires org.slf4j;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;
    // For those who use the HTTP server or the HTTP client.
    requires static jdk.httpserver;
    requires static java.net.http;

    uses org.slf4j.spi.SLF4JServiceProvider;

    exports io.fibry;
    exports io.fibry.event;
    exports io.fibry.function;
    exports io.fibry.keyed;
    exports io.fibry.net;
    exports io.fibry.time;
    // Another module of this library, released with it, which puts another engine under the same servers.
    exports io.fibry.internal.clock to io.fibry.web;
    exports io.fibry.internal.log to io.fibry.web;
    exports io.fibry.internal.net to io.fibry.web;
    exports io.fibry.internal.run to io.fibry.web;
    exports io.fibry.internal.scope to io.fibry.web;
}
