package io.fibry.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.event.Failed;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FibryTracingTest {
    private static final ContextKey<String> USER = ContextKey.named("user");
    private static final String NOBODY = "nobody";
    private static final AttributeKey<String> KIND = AttributeKey.stringKey("fibry.kind");
    private static final AttributeKey<String> ACTOR = AttributeKey.stringKey("fibry.actor");

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider =
            SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
    private final OpenTelemetry telemetry = OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    private final Tracer tracer = telemetry.getTracer("test");
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);

    @AfterEach
    void end() {
        provider.close();
        assertThat(Context.current()).as("the context of the test's thread").isSameAs(Context.root());
    }

    private ActorScope open(Strategy strategy, FibryTracing tracing) {
        return tracing.on(ActorSystem.configure("shop").strategy(strategy.create()).time(time)).open();
    }

    private ActorScope open(Strategy strategy) {
        return open(strategy, FibryTracing.spans(telemetry));
    }

    private static String user() {
        var user = Context.current().get(USER);
        return user == null ? NOBODY : user;
    }

    private static void as(String user, Runnable code) {
        Context.current().with(USER, user).wrap(code).run();
    }

    /** Runs code in a span, and returns that. */
    private SpanData inSpan(String name, Runnable code) {
        var span = tracer.spanBuilder(name).startSpan();
        try {
            Context.current().with(span).wrap(code).run();
        } finally {
            span.end();
        }
        return span(name);
    }

    /** Returns the span of that name, once there is one. A span may end after the answer has come. */
    private SpanData span(String name) {
        return spans(name, 1).getFirst();
    }

    private List<SpanData> spans(String name, int count) {
        Waits.until(count + " spans " + name, () -> named(name).size() >= count);
        assertThat(named(name)).hasSize(count);
        return named(name);
    }

    private List<SpanData> named(String name) {
        return exporter.getFinishedSpanItems().stream().filter(each -> each.getName().equals(name)).toList();
    }

    private static void assertChild(SpanData child, SpanData parent) {
        assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
        assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
        assertThat(child.getLinks()).isEmpty();
    }

    private static void assertLinked(SpanData span, SpanData sender) {
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getTraceId()).isNotEqualTo(sender.getTraceId());
        assertThat(span.getLinks()).singleElement()
                .satisfies(
                        link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(sender.getSpanId()));
    }

    @Promise("56.1")
    @EveryStrategy
    void theContextGoesWithMessages(Strategy strategy) {
        try (var scope = open(strategy, FibryTracing.context())) {
            var inner = scope.named("inner").newActorWithReturn((String each) -> user());
            var outer = scope.named("outer").newActorWithReturn((String each) -> inner.apply(each));
            as("ann", () -> assertThat(outer.apply("tea")).isEqualTo("ann"));
            as("bob", () -> assertThat(outer.apply("tea")).isEqualTo("bob"));
            assertThat(outer.apply("tea")).isEqualTo(NOBODY);
            var told = new CompletableFuture<String>();
            var teller = scope.named("teller").newActor((String each) -> told.complete(user()));
            as("eve", () -> teller.sendMessage("tea"));
            assertThat(told.join()).isEqualTo("eve");
        }
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }

    @Promise("56.1")
    @Test
    void theContextOfASenderEndsWithTheHandlerAlsoIfItHasNone() {
        for (var tracing : List.of(TellSpans.NONE, TellSpans.CHILD)) {
            for (var sender : List.of(Context.root(), Context.root().with(USER, "ann"))) {
                for (var captured : List.of(new CapturedContext(sender),
                        new TracedContext(sender, tracer, tracing))) {
                    as("bob", () -> {
                        var end = captured.restore();
                        assertThat(Context.current()).isSameAs(sender);
                        end.run();
                        assertThat(user()).isEqualTo("bob");
                    });
                }
            }
        }
    }

    @Promise("56.1")
    @EveryStrategy
    void anActorThatIsRunByItsCallersHasTheirContextAndASpan(Strategy strategy) {
        try (var scope = open(strategy)) {
            var bank = scope.named("bank").runByCallers().newActorWithReturn((String each) -> user());
            var request =
                    inSpan("request", () -> as("ann", () -> assertThat(bank.apply("tea")).isEqualTo("ann")));
            assertChild(span("bank"), request);
        }
    }

    @Promise("56.1")
    @EveryStrategy
    void aTimerHasTheContextOfTheHandlerThatSetIt(Strategy strategy) {
        var users = new CompletableFuture<String>();
        try (var scope = open(strategy)) {
            var clock = scope.named("clock").<String>newActor((context, each) -> {
                if (each.equals("tick")) {
                    users.complete(user());
                } else {
                    context.timers().once("t", Duration.ofSeconds(1), "tick");
                }
            });
            var request = inSpan("request", () -> as("ann", () -> clock.sendMessage("set")));
            var set = span("clock");
            assertLinked(set, request);
            time.advance(Duration.ofSeconds(1));
            assertThat(users.join()).isEqualTo("ann");
            assertLinked(spans("clock", 2).getLast(), set);
        }
    }

    @Promise("56.2")
    @EveryStrategy
    void nestedAsksAreOneTrace(Strategy strategy) {
        try (var scope = open(strategy)) {
            var bank = scope.named("bank-1").newActorWithReturn((String each) -> each);
            var till = scope.named("till-17")
                    .newActorWithReturn((String each) -> bank.apply(each) + bank.apply(each));
            var request = inSpan("request", () -> assertThat(till.apply("tea")).isEqualTo("teatea"));
            var ofTill = span("till");
            assertChild(ofTill, request);
            assertThat(spans("bank", 2)).allSatisfy(each -> assertChild(each, ofTill));
            assertThat(ofTill.getAttributes().get(KIND)).isEqualTo("ask");
            assertThat(ofTill.getAttributes().get(ACTOR)).isEqualTo("till-17");
        }
    }

    @Promise("56.2")
    @EveryStrategy
    void aTellIsANewTraceThatIsLinked(Strategy strategy) {
        try (var scope = open(strategy)) {
            var bank = scope.named("bank").newActorWithReturn((String each) -> each);
            var mail = scope.named("mail").newActor((String each) -> bank.apply(each));
            var request = inSpan("request", () -> mail.sendMessage("tea"));
            var ofMail = span("mail");
            assertLinked(ofMail, request);
            assertThat(ofMail.getAttributes().get(KIND)).isEqualTo("tell");
            assertChild(span("bank"), ofMail);
        }
    }

    @Promise("56.2")
    @EveryStrategy
    void aTellMayBeAChild(Strategy strategy) {
        try (var scope = open(strategy, FibryTracing.spans(telemetry).tells(TellSpans.CHILD))) {
            var mail = scope.named("mail").newActor((String each) -> {
            });
            var request = inSpan("request", () -> mail.sendMessage("tea"));
            assertChild(span("mail"), request);
        }
    }

    @Promise("56.2")
    @EveryStrategy
    void aTellMayHaveNoSpan(Strategy strategy) throws Exception {
        try (var scope = open(strategy, FibryTracing.spans(telemetry).tells(TellSpans.NONE))) {
            var bank = scope.named("bank").newActorWithReturn((String each) -> each);
            var done = new CountDownLatch(1);
            var mail = scope.named("mail").newActor((String each) -> {
                bank.apply(each);
                done.countDown();
            });
            var request = inSpan("request", () -> mail.sendMessage("tea"));
            assertChild(span("bank"), request);
            Waits.on(done);
        }
        assertThat(named("mail")).isEmpty();
    }

    @Promise("56.2")
    @EveryStrategy
    void withoutASpanOfTheSenderThereIsNone(Strategy strategy) {
        try (var scope = open(strategy)) {
            var bank = scope.named("bank")
                    .newActorWithReturn((String each) -> each + Span.current().getSpanContext().isValid());
            assertThat(bank.apply("tea")).isEqualTo("teafalse");
        }
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }

    @Promise("56.2")
    @EveryStrategy
    void aFailureIsInTheSpanOfItsHandlerAndARestartedActorGoesOn(Strategy strategy) {
        try (var scope = open(strategy)) {
            var bank = scope.named("bank").onFailure(FailurePolicy.restart())
                    .newActorWithReturn((String each) -> {
                        if (each.equals("bad")) {
                            throw new IllegalArgumentException("a failure of the test");
                        }
                        return each;
                    });
            var request = inSpan("request", () -> {
                assertThatThrownBy(() -> bank.sendMessageReturn("bad").join())
                        .isInstanceOf(CompletionException.class);
                assertThat(bank.apply("good")).isEqualTo("good");
            });
            var spans = spans("bank", 2);
            assertThat(spans).allSatisfy(each -> assertChild(each, request));
            assertThat(spans.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(spans.getFirst().getEvents()).singleElement()
                    .satisfies(event -> assertThat(
                            event.getAttributes().get(AttributeKey.stringKey("exception.message")))
                            .isEqualTo("a failure of the test"));
            assertThat(spans.getLast().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
            assertThat(request.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        }
    }

    @Promise("56.2")
    @EveryStrategy
    void theFailureOfATellWithoutASpanIsNotInThatOfItsSender(Strategy strategy) {
        try (var scope = open(strategy, FibryTracing.spans(telemetry).tells(TellSpans.NONE))) {
            var mail = scope.named("mail").newActorWithReturn((String each) -> {
                throw new IllegalArgumentException("a failure of the test");
            });
            var bank = scope.named("bank").newActorWithReturn((String each) -> {
                mail.sendMessage(each);
                mail.sendPoisonPill();
                mail.waitForExit();
                return each;
            });
            inSpan("request", () -> assertThat(bank.apply("tea")).isEqualTo("tea"));
            assertThat(span("bank").getEvents()).isEmpty();
            assertThat(span("bank").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        }
    }

    @Promise("56.2")
    @Test
    void whatFailsBesidesAHandlerIsInNoSpanAndIsLoggedAsBefore() {
        var span = tracer.spanBuilder("handling").startSpan();
        HandlingSpan.in(Context.current(), span).wrap(() -> {
            for (var part : Failed.Part.values()) {
                if (part != Failed.Part.HANDLER) {
                    FailureRecorder.INSTANCE.on(new Failed("till", part, Optional.empty(),
                            new IllegalStateException("a failure of the test"), Optional.empty(),
                            Optional.empty(), List.of(), Optional.empty()));
                }
            }
        }).run();
        span.end();
        assertThat(span("handling").getEvents()).isEmpty();
        assertThat(span("handling").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(FailureRecorder.INSTANCE.takesEvents()).isFalse();
    }

    @Promise("56.2")
    @EveryStrategy
    void aMessageThatIsLostHasNoSpan(Strategy strategy) {
        try (var scope = open(strategy)) {
            var mail = scope.named("mail").newActor((String each) -> {
            });
            inSpan("first", () -> {
                mail.sendMessage("tea");
                mail.sendPoisonPill();
            });
            Waits.stopped(mail);
            inSpan("second", () -> mail.sendMessage("late"));
            span("mail");
        }
        assertThat(exporter.getFinishedSpanItems()).extracting(SpanData::getName)
                .containsExactlyInAnyOrder("first", "mail", "second");
    }

    @Promise("56.2")
    @Test
    void anActorWithoutANameHasSpansOfItsClass() {
        try (var scope = FibryTracing.spans(telemetry).on(ActorSystem.configure("shop")).open()) {
            Actor<String, String> bank = scope.anonymous().newActorWithReturn((String each) -> each);
            inSpan("request", () -> bank.apply("tea"));
            assertThat(span(FibryTracingTest.class.getName()).getAttributes().get(ACTOR)).isNull();
        }
    }

    @Promise("56.2")
    @Test
    void aLongNameIsCut() {
        try (var scope = FibryTracing.spans(telemetry).on(ActorSystem.configure("shop")).open()) {
            var bank = scope.named("x".repeat(10_000)).newActorWithReturn((String each) -> each);
            inSpan("request", () -> bank.apply("tea"));
            assertThat(span("x".repeat(200)).getAttributes().get(ACTOR)).hasSize(200);
        }
    }

    @Test
    void wrongUse() {
        assertThatThrownBy(() -> FibryTracing.context().tells(TellSpans.LINKED))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("FibryTracing.spans");
        assertThatThrownBy(() -> FibryTracing.spans(null)).isInstanceOf(NullPointerException.class);
        assertThat(FibryTracing.spans(OpenTelemetry.noop())).hasToString("FibryTracing[spans, tells LINKED]");
    }
}
