/**
 * Records, enums and sealed interfaces as bytes in CBOR, and back. A {@linkplain io.fibry.codec.Codec codec} is made
 * of root types, and reads and writes what can be reached from them, and nothing else.
 *
 * <p>Terms. A <em>root</em> is a type that a codec was made of. A <em>type name</em> is what stands for a class in the bytes:
 * its simple name, or what {@link io.fibry.codec.WireName} says. A <em>golden file</em> lists the types of all releases before.
 */
@NullMarked
package io.fibry.codec;

import org.jspecify.annotations.NullMarked;
