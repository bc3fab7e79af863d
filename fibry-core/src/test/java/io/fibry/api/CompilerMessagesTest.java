package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the compiler prints for the mistakes that are made most often: it is short, and shows the place. */
class CompilerMessagesTest {
    private static final String PROGRAM =
            """
                    import io.fibry.*;
                    import java.util.*;
                    import java.util.concurrent.*;

                    class Program {
                        sealed interface Text<R> extends Request<R> {
                            record Size(String text) implements Text<Integer> {
                            }
                            record Upper(String text) implements Text<String> {
                            }
                        }
                        static void run(ActorScope scope, Actor<String, Integer> lengths, Actor<String, Void> log,
                                Actor<Text<?>, Reply> texts, StatefulActor<HashMap<String, Integer>, String, Void> sales) {
                            %s
                        }
                    }
                    """;

    /** The lines of the message itself, of the place, and the count of errors. */
    private static final int SHORT = 6;

    /**
     * The lines if the compiler lists two forms of a method, since the code fits neither: a handler with the context and one
     * without it, or a request with a time limit and one without. It then also tells what their types stand for. For one form
     * that infers two types it would print 11.
     */
    private static final int ALL_FORMS = 16;
    /** As above, for forms that also infer the type of a state. */
    private static final int ALL_FORMS_WITH_STATE = 18;

    /**
     * A mistake.
     *
     * @param statement the statement
     * @param place where the compiler's mark is to stand: it points into this part of the statement
     * @param says what the message says
     * @param lines how many lines it may have
     */
    private record Mistake(String statement, String place, String says, int lines) {
        static Mistake of(String statement, String place, String says) {
            return new Mistake(statement, place, says, SHORT);
        }

        Mistake inAllForms() {
            return new Mistake(statement, place, says, ALL_FORMS);
        }

        Mistake inAllFormsWithState() {
            return new Mistake(statement, place, says, ALL_FORMS_WITH_STATE);
        }
    }

    static List<Mistake> mistakes() {
        return List.of(
                // A state without its types.
                Mistake.of("Actor<String, Integer> a = scope.named(\"a\").state(HashMap::new)"
                        + ".newActorWithReturn((sold, item) -> sold.merge(item, 1, Integer::sum));",
                        "Integer::sum", "invalid method reference"),
                Mistake.of("var a = scope.named(\"a\").state(HashMap::new).of(String.class)"
                        + ".newActorWithReturn((sold, item) -> sold.merge(item, 1, Integer::sum));",
                        "Integer::sum", "invalid method reference"),
                // A type that nothing tells.
                Mistake.of("var a = scope.anonymous().newActor(text -> text.length());", ".length",
                        "method length()"),
                // Wrong messages.
                Mistake.of("log.sendMessage(1);", "1", "int cannot be converted to String"),
                Mistake.of("lengths.ask(1);", "1", "int cannot be converted to String"),
                Mistake.of("lengths.ask(1, java.time.Duration.ZERO);", "1",
                        "int cannot be converted to String"),
                Mistake.of("sales.execWithState(sold -> sold.put(1, 1));", "1, 1",
                        "int cannot be converted to String"),
                // Wrong answers.
                Mistake.of("CompletableFuture<String> s = lengths.ask(\"tea\");", ".ask",
                        "CompletableFuture<Integer> cannot be converted to CompletableFuture<String>"),
                Mistake.of("int n = log.apply(\"tea\");", ".apply", "Void cannot be converted to int"),
                Mistake.of("lengths.ask(\"tea\").get();", ".get",
                        "unreported exception InterruptedException"),
                Mistake.of("var n = lengths.ask(\"tea\") + 1;", "+", "bad operand types"),
                Mistake.of(
                        "Actor<String, Integer> a = scope.anonymous().newActor(text -> System.out.println(text));",
                        "(text", "Actor<M,Void> conforms to Actor<String,Integer>"),
                Mistake.of("var a = scope.anonymous().of(String.class).newActor(text -> text.lenght());",
                        ".lenght",
                        "method lenght()"),
                // Requests.
                Mistake.of("texts.request(\"tea\");", ".request", "String cannot be converted to Request")
                        .inAllForms(),
                Mistake.of("CompletableFuture<Integer> n = texts.request(new Text.Upper(\"tea\"));", "(new",
                        "Integer"),
                Mistake.of(
                        "Actor<Text<?>, Reply> a = scope.anonymous().newActorWithReturn(request -> switch (request) {"
                                + " case Text.Size size -> size.reply(1); });",
                        "switch", "does not cover all possible input"),
                Mistake.of(
                        "Actor<Text<?>, Reply> a = scope.anonymous().newActorWithReturn(request -> switch (request) {"
                                + " case Text.Size size -> size.reply(\"1\"); case Text.Upper upper -> upper.reply(\"\"); });",
                        "\"1\"", "String cannot be converted to Integer"),
                // Keyed actors.
                Mistake.of("var a = scope.anonymous().keyed(text -> text.length());", ".length",
                        "method length()"),
                Mistake.of("var a = scope.anonymous().keyed(String::length)"
                        + ".newActorsFrom(n -> text -> System.out.println(text));", "text ->",
                        "incompatible parameter types in lambda"),
                Mistake.of("var a = scope.anonymous().keyed(String::length)"
                        + ".newActors(n -> new TreeSet<String>(), (known, text) -> known.put(text));", ".put",
                        "method put(String)"),
                Mistake.of("var a = scope.anonymous().keyed(String::length)"
                        + ".newActors(n -> new TreeSet<String>(), (known, text) -> known.add(text)); a.sendMessage(1);",
                        "1", "int cannot be converted to String"),
                Mistake.of("CompletableFuture<String> s = scope.anonymous().keyed(String::length)"
                        + ".newActorsWithReturn(n -> new TreeSet<String>(), (known, text) -> known.size()).ask(\"tea\");",
                        ".ask",
                        "CompletableFuture<Integer> cannot be converted to CompletableFuture<String>"),
                Mistake.of("var a = scope.anonymous().keyed(String::length)"
                        + ".newActorsWithReturn(n -> new TreeSet<String>(), (known, text) -> { known.add(text); });",
                        ".newActorsWithReturn", "missing return value").inAllFormsWithState(),
                // Forms of handlers.
                Mistake.of(
                        "Actor<Integer, Integer> a = scope.anonymous().newActorWithReturn(n -> { int m = n * n; });",
                        ".newActorWithReturn", "missing return value").inAllForms(),
                Mistake.of(
                        "var a = scope.anonymous().of(Integer.class).newActorWithReturn(n -> { int m = n * n; });",
                        ".newActorWithReturn", "missing return value").inAllForms(),
                Mistake.of(
                        "Actor<String, Void> a = scope.anonymous().newActor(text -> { return text.length(); });",
                        ".newActor", "unexpected return value").inAllForms(),
                Mistake.of(
                        "var a = scope.anonymous().of(String.class).newActor((x, y, z) -> System.out.println(x));",
                        ".newActor", "incompatible parameter types in lambda").inAllForms());
    }

    @TempDir
    private Path classes;

    @ParameterizedTest
    @MethodSource("mistakes")
    void theMessageIsShortAndShowsThePlace(Mistake mistake) {
        assumeTrue(ToolProvider.getSystemJavaCompiler() != null, "this Java has no compiler");
        var source =
                new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return PROGRAM.formatted(mistake.statement());
                    }
                };
        var printed = new StringWriter();
        ToolProvider.getSystemJavaCompiler().getTask(printed, null, null,
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                null,
                List.of(source)).call();
        var lines = printed.toString().strip().lines().toList();
        assertThat(lines).as(printed.toString()).hasSizeLessThanOrEqualTo(mistake.lines());
        assertThat(printed.toString()).contains(mistake.says()).contains("1 error");
        var mark = lines.stream().filter(each -> each.strip().equals("^")).findFirst().orElseThrow()
                .indexOf('^');
        var place = lines.get(1).indexOf(mistake.place());
        assertThat(mark).as(printed.toString()).isBetween(place, place + mistake.place().length());
    }
}
