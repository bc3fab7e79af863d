package io.fibry.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.fibry.testing.Promise;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a codec is made of, and what it is not. */
class TypesTest {
    interface Open {
    }

    record HasObject(Object any) {
    }

    record HasOpen(List<Open> all) {
    }

    record HasArrayList(ArrayList<String> names) {
    }

    record HasRaw(@SuppressWarnings("rawtypes") List names) {
    }

    record HasArray(int[] numbers) {
    }

    record HasThread(Optional<Thread> thread) {
    }

    record Nested(Optional<Optional<String>> twice) {
    }

    record InList(List<Optional<String>> some) {
    }

    record Both(@Nullable Optional<String> name) {
    }

    record NullableInt(@Nullable Integer fine, @JsonProperty int alsoFine) {
    }

    record RecordKeys(Map<Key, String> map) {
    }

    record Key(String a, int b) {
    }

    record Generic<T>(T value) {
    }

    record HasWildcard(Generic<?> any) {
    }

    record Deep(List<HasObject> all) {
    }

    sealed interface Mixed permits Fine, NotFine {
    }

    record Fine() implements Mixed {
    }

    record Dates(Optional<java.util.Date> at) {
    }

    static final class NotFine implements Mixed {
    }

    sealed interface Hatched permits Hatch {
    }

    non-sealed interface Hatch extends Hatched {
    }

    sealed interface Odd<T> permits OddOne {
    }

    record OddOne<A, B>(A a, B b) implements Odd<A> {
    }

    record HasOdd(Odd<String> odd) {
    }

    record Growing<T>(T value, Optional<Growing<List<T>>> next) {
    }

    record HasGrowing(Growing<String> first) {
    }

    @Promise("61.1")
    @Test
    void whatCannotBeWrittenIsRefusedWithItsComponentAndARemedy() {
        refused(HasObject.class, "HasObject.any: java.lang.Object cannot be written");
        refused(HasOpen.class, "HasOpen.all", "an interface that is not sealed; make it sealed");
        refused(HasArrayList.class, "HasArrayList.names", "declare it as List, Set or Map");
        refused(HasRaw.class, "HasRaw.names: is a List without a type of its elements");
        refused(HasArray.class, "HasArray.numbers", "only byte[]");
        refused(HasThread.class, "HasThread.thread: java.lang.Thread cannot be written");
        refused(Nested.class, "Nested.twice", "Optional may be the type of a component only");
        refused(InList.class, "InList.some", "Optional may be the type of a component only");
        refused(Both.class, "Both.name: is both Optional and @Nullable");
        refused(RecordKeys.class, "RecordKeys.map: a map cannot have keys of", "use a List of a record");
        refused(Generic.class, "Generic: has type parameters");
        refused(HasWildcard.class, "HasWildcard.any.value: java.lang.Object cannot be written");
        refused(Deep.class, "Deep.all.any: java.lang.Object");
        refused(Mixed.class,
                "permits " + NotFine.class.getName() + ", which is neither a record nor an enum");
        refused(Hatched.class, "permits " + Hatch.class.getName());
        refused(HasOdd.class, "HasOdd.odd: the type B of", "does not follow from");
        refused(HasGrowing.class, "HasGrowing.first.next.next", "use the same arguments");
        refused(Dates.class, "Dates.at: java.util.Date cannot be written", "java.time");
        refused(List.class, "List: has type parameters");
        refused(Open.class, "an interface that is not sealed");
        refused(Thread.class, "of the JDK's classes only");
        refused(TypesTest.class, "it is a class; make it a record");
        assertThatThrownBy(Codec::of).isInstanceOf(CodecException.class).hasMessageContaining("needs a root");
        assertThat(Codec.of(NullableInt.class, TimeUnit.class).typeNames()).containsExactly("NullableInt",
                "TimeUnit");
    }

    private static void refused(Class<?> root, String... why) {
        assertThatThrownBy(() -> Codec.of(root)).isInstanceOf(CodecException.class)
                .hasMessageContainingAll(why);
    }

    sealed interface Orders {
        record Add(int a) implements Orders {
        }
    }

    sealed interface Invoices {
        record Add(int b) implements Invoices {
        }

        @WireName("AddInvoice")
        record Added(int c) implements Invoices {
        }
    }

    sealed interface Named {
        @WireName("Add")
        record Insert(int d) implements Named {
        }

        @WireName("a b")
        record Blank() implements Named {
        }
    }

    interface Shop {
        sealed interface Orders {
            record Kept(int e) implements Orders {
            }
        }
    }

    interface OfTheJdk {
        record Duration(long seconds) {
        }

        record List<T>(T first) {
        }

        record Task(List<String> steps) {
        }

        @WireName("Time")
        record Instant(long time) {
        }

    }

    record TwoOfOne(@WireName("b") int a, int b) {
    }

    enum Colour {
        RED, @WireName("RED")
        ROUGE
    }

    enum Size {
        @WireName("very small")
        SMALL
    }

    @Promise("61.1")
    @Test
    void twoOfOneNameAreRefused() {
        assertThatThrownBy(() -> Codec.of(Orders.class, Invoices.class)).isInstanceOf(CodecException.class)
                .hasMessageContainingAll(
                        Orders.Add.class.getName(), Invoices.Add.class.getName(), "both called Add",
                        "@WireName");
        assertThatThrownBy(() -> Codec.of(Orders.class, Named.Insert.class))
                .isInstanceOf(CodecException.class).hasMessageContaining("both called Add");
        // Their names are not in the bytes, but in golden files, which would have one of them alone.
        assertThatThrownBy(() -> Codec.of(Orders.class, Shop.Orders.class))
                .isInstanceOf(CodecException.class).hasMessageContaining("both called Orders");
        // A component "limit: Duration" would look like one of the JDK's.
        refused(OfTheJdk.Duration.class, OfTheJdk.Duration.class.getName() + " is called Duration",
                "@WireName");
        refused(OfTheJdk.Task.class, "Task.steps: " + OfTheJdk.List.class.getName() + " is called List");
        assertThat(Codec.of(OfTheJdk.Instant.class).typeNames()).containsExactly("Time");
        refused(Named.Blank.class, "the @WireName \"a b\"");
        refused(Size.class, "the @WireName \"very small\" of", "Size.SMALL must have");
        refused(TwoOfOne.class, "TwoOfOne.b", "wire name b");
        refused(Colour.class, "two constants of", "RED");
        assertThat(Codec.of(Invoices.class).typeNames()).containsExactly("Add", "AddInvoice");
        assertThat(Codec.of(Orders.class, Orders.Add.class, Orders.class).typeNames()).containsExactly("Add");
    }

    /** A Nullable that record components cannot have, as Spring's older one. */
    interface Older {
        @Retention(RetentionPolicy.RUNTIME)
        @Target({ElementType.METHOD, ElementType.PARAMETER, ElementType.FIELD})
        @interface Nullable {
        }

        record Note(@Older.Nullable String text) {
        }
    }

    @Promise("61.1")
    @Test
    void aNullableThatOnlyTheAccessorHasCounts() {
        var codec = Codec.of(Older.Note.class);
        assertThat(codec.decode(codec.encode(new Older.Note(null)), Older.Note.class))
                .isEqualTo(new Older.Note(null));
    }

    private static final AtomicInteger MADE = new AtomicInteger();

    /** Would be made by a codec that believes what bytes or annotations say. */
    static final class Gadget {
        static {
            MADE.incrementAndGet();
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    sealed interface Typed permits Box {
    }

    record Box(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) @JsonProperty("other") String text) implements Typed {
    }

    @Promise("61.4")
    @Test
    void namesInBytesAreNotNamesOfClasses() throws Exception {
        var codec = Codec.of(Typed.class);
        assertThat(codec.decode(codec.encode(new Box("x")), Typed.class)).isEqualTo(new Box("x"));
        for (var name : List.of(Gadget.class.getName(), Box.class.getName(),
                "io.fibry.codec.TypesTest$Gadget", "[I", "java.lang.Thread")) {
            for (var bytes : List.of(Tokens.of(name, Map.of("text", "x")),
                    Tokens.of("Box", Map.of("@class", name, "text", "x")),
                    Tokens.of("Box", Map.of("@class", name)))) {
                try {
                    assertThat(codec.decode(bytes, Typed.class)).isEqualTo(new Box("x"));
                } catch (CodecException expected) {
                    assertThat(expected).hasMessageStartingWith("Cannot read a Typed: ");
                }
            }
        }
        assertThat(MADE).hasValue(0);
        // Proves that the check above can fail.
        Class.forName(Gadget.class.getName());
        assertThat(MADE).hasValue(1);
    }
}
